// The text of a chat message of Teams, whose content is HTML.

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }
const HIGHEST_CODE_POINT = 0x10ffff

export function chatText(html: string): string {
  return decoded(
    html
      // An emoji is a picture whose alternative text is the emoji.
      .replaceAll(/<img\b[^>]*?\balt="([^"]*)"[^>]*>/gi, '$1')
      .replaceAll(/<br\b[^>]*>|<\/(?:p|div|li|blockquote)>/gi, '\n')
      .replaceAll(/<[^>]*>/g, ''),
  )
    .replaceAll(/[^\S\n]+/g, ' ')
    .replaceAll(/ ?\n ?/g, '\n')
    .trim()
}

/** Once, from left to right: what an entity stands for is not read again. */
function decoded(text: string): string {
  return text.replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, (entity, decimal?: string, hex?: string, name?: string) => {
    if (name !== undefined) return ENTITIES[name.toLowerCase()] ?? entity
    const code = decimal === undefined ? Number.parseInt(hex ?? '', 16) : Number(decimal)
    return code <= HIGHEST_CODE_POINT ? String.fromCodePoint(code) : entity
  })
}
