/// <reference lib="dom" />
// Copies the document as a tree of elements, texts and what decides visibility, so that the page rules see the same in a page made of it.

export type SnapshotRules = {
  /** Selectors of participants' own text. */
  readonly talk: string
  /** The selector of participants' tiles. */
  readonly tiles: string
}

/** Whose text it is: that of participants, or a tile's. Everything else is the page's own. */
export type Mark = 'talk' | 'tile' | null

export type Tree = string | TreeElement
export type TreeElement = {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly style: string
  readonly mark: Mark
  readonly children: readonly Tree[]
  readonly shadow: readonly Tree[] | null
}

const MOST_ELEMENTS = 15_000
const DROPPED = new Set(['SCRIPT', 'STYLE', 'LINK', 'META', 'NOSCRIPT', 'TEMPLATE', 'BASE'])
/** Elements whose content is drawn, or would be loaded. */
const CHILDLESS = new Set(['SVG', 'VIDEO', 'AUDIO', 'CANVAS', 'IMG', 'IFRAME', 'OBJECT', 'PICTURE'])
/** They hold addresses, code or styles. */
const DROPPED_ATTRIBUTE = /^(style|srcdoc|srcset|nonce|integrity|action|poster|on.*|jsaction|jslog|jsdata|jsmodel)$/

export function snapshot(rules: SnapshotRules): TreeElement {
  let left = MOST_ELEMENTS
  const frames = [...document.querySelectorAll('iframe')]
  const copyAll = (parent: ParentNode, mark: Mark): readonly Tree[] => [...parent.childNodes].flatMap((it) => copy(it, mark) ?? [])
  const copy = (node: Node, around: Mark): Tree | null => {
    if (node instanceof Text) return node.data
    if (!(node instanceof Element) || DROPPED.has(node.tagName) || --left < 0) return null
    const mark = around ?? markOf(node, rules)
    const isChildless = CHILDLESS.has(node.tagName.toUpperCase())
    return {
      tag: node.tagName.toLowerCase(),
      attributes: attributesOf(node, frames),
      style: styleOf(node),
      mark,
      children: isChildless ? [] : copyAll(node, mark),
      shadow: node.shadowRoot ? copyAll(node.shadowRoot, mark) : null,
    }
  }
  const root = copy(document.documentElement, null)
  if (root === null || typeof root === 'string') throw new Error('The page has no document')
  return root
}

function markOf(element: Element, { talk, tiles }: SnapshotRules): Mark {
  // A tile may also be listed as talk: its label has badges behind the name.
  if (tiles && element.matches(tiles)) return 'tile'
  return talk && element.matches(talk) ? 'talk' : null
}

function attributesOf(element: Element, frames: readonly Element[]): Record<string, string> {
  const kept = [...element.attributes].filter(({ name }) => !DROPPED_ATTRIBUTE.test(name))
  const attributes = Object.fromEntries(kept.map(({ name, value }) => [name, value]))
  // Typed text is only in the property.
  if (element instanceof HTMLInputElement) attributes.value = element.type === 'password' ? '' : element.value
  if (element instanceof HTMLIFrameElement) attributes['data-kit-frame'] = String(frames.indexOf(element))
  return attributes
}

/** Parents of the head have no layout. */
function styleOf(element: Element): string {
  const { display, visibility, opacity } = getComputedStyle(element)
  const { width, height } = element.getBoundingClientRect()
  const isBare = CHILDLESS.has(element.tagName.toUpperCase()) || (element.textContent ?? '').trim() === ''
  const inner = display === 'inline' ? 'inline-block' : display
  return [
    `display:${isBare && width > 0 ? inner : display}`,
    ...(visibility === 'visible' ? [] : [`visibility:${visibility}`]),
    ...(opacity === '0' ? ['opacity:0'] : []),
    // Text gives the others their size.
    ...(isBare && width > 0 && height > 0 && !element.childElementCount
      ? [`width:${Math.round(width)}px;height:${Math.round(height)}px`]
      : []),
  ].join(';')
}
