// A strict parser for small XML documents, and XML escaping.

/** `name` has no prefix. `text` excludes the text of children. */
export type XmlElement = {
  readonly name: string
  readonly namespace: string | null
  readonly attributes: ReadonlyMap<string, string>
  readonly text: string
  readonly children: readonly XmlElement[]
}

const NAME = String.raw`(?:([A-Za-z_][\w.-]*):)?([A-Za-z_][\w.-]*)`
const ATTRIBUTE = String.raw`\s+[A-Za-z_][\w.:-]*\s*=\s*(?:"[^"<]*"|'[^'<]*')`
/** An XML declaration, a comment, a tag or text. Document types, CDATA and processing instructions do not match, so they are rejected. */
const PIECE = new RegExp(String.raw`<\?xml\s[^?<]*\?>|<!--(?:(?!--)[^])*-->|<(\/?)${NAME}((?:${ATTRIBUTE})*)\s*(\/?)>|([^<]+)`, 'y')

const MAX_DEPTH = 32

/** Safe in text and attributes, in XML and in HTML. */
export function escapeXml(text: string): string {
  return text.replaceAll(/[&<>"']/g, (it) => `&#${it.charCodeAt(0)};`)
}

type Open = {
  readonly prefix: string
  readonly name: string
  readonly attributes: ReadonlyMap<string, string>
  readonly namespaces: ReadonlyMap<string, string>
  readonly children: XmlElement[]
  text: string
}

/** The root element, or null if the text is not a supported document. */
export function readXml(text: string): XmlElement | null {
  const top: Open = { prefix: '', name: '', attributes: new Map(), namespaces: new Map(), children: [], text: '' }
  const open: Open[] = [top]
  PIECE.lastIndex = 0
  for (let at = 0; at < text.length; at = PIECE.lastIndex) {
    const piece = PIECE.exec(text)
    if (!piece || !take(open, piece)) return null
  }
  const [element, ...more] = top.children
  return element && open.length === 1 && more.length === 0 && top.text.trim() === '' ? element : null
}

/** False if the document is malformed. */
function take(open: Open[], [, closes, prefix = '', name, written = '', isEmpty, text]: RegExpExecArray): boolean {
  const parent = open.at(-1)
  if (!parent || open.length > MAX_DEPTH) return false
  if (text !== undefined) {
    const plain = unescapeXml(text)
    parent.text += plain ?? ''
    return plain !== null
  }
  if (name === undefined) return true
  if (closes) return parent.prefix === prefix && parent.name === name && close(open)
  const attributes = attributesIn(written)
  if (!attributes) return false
  open.push({ prefix, name, attributes, namespaces: declared(parent.namespaces, attributes), children: [], text: '' })
  return isEmpty ? close(open) : true
}

function close(open: Open[]): boolean {
  const done = open.pop()
  const parent = open.at(-1)
  if (!done || !parent) return false
  const { prefix, namespaces, ...element } = done
  parent.children.push({ ...element, namespace: namespaces.get(prefix) ?? null })
  return true
}

function declared(above: ReadonlyMap<string, string>, attributes: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const own = [...attributes].flatMap(([name, value]) => (/^xmlns(:|$)/.test(name) ? [[name.slice(6), value] as const] : []))
  return own.length > 0 ? new Map([...above, ...own]) : above
}

/** Null if an attribute is repeated or has an invalid reference. */
function attributesIn(written: string): ReadonlyMap<string, string> | null {
  const found = new Map<string, string>()
  for (const [, name = '', quoted = ''] of written.matchAll(/\s([A-Za-z_][\w.:-]*)\s*=\s*("[^"]*"|'[^']*')/g)) {
    const value = unescapeXml(quoted.slice(1, -1))
    if (value === null || found.has(name)) return null
    found.set(name, value)
  }
  return found
}

const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Null if it has an entity that is not predefined in XML. */
function unescapeXml(text: string): string | null {
  let isWhole = true
  const plain = text.replaceAll(/&(?:#(\d{1,7}|x[\da-fA-F]{1,6});|(\w{1,8});)?/g, (_, number?: string, name = '') => {
    const point = Number(number?.startsWith('x') ? `0${number}` : number)
    const letter = number ? point > 0 && point <= 0x10_ff_ff && String.fromCodePoint(point) : NAMED[name]
    isWhole &&= Boolean(letter)
    return letter || ''
  })
  return isWhole ? plain : null
}
