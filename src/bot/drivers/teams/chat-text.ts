// Extracts the text of a Teams chat message from its HTML.

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const HIGHEST_CODE_POINT = 0x10ffff

export function chatText(html: string): string {
  return decoded(
    html
      // An emoji is an image with the emoji as alternative text.
      .replaceAll(/<img\b[^>]*?\balt="([^"]*)"[^>]*>/gi, '$1')
      .replaceAll(/<br\b[^>]*>|<\/(?:p|div|li|blockquote)>/gi, '\n')
      .replaceAll(/<[^>]*>/g, ''),
  )
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .trim()
}

/** Decodes each entity once, from left to right. */
function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (entity, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? entity
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code <= HIGHEST_CODE_POINT ? String.fromCodePoint(code) : entity
  })
}
