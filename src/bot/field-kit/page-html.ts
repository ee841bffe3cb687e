// Turns the copy of a document into redacted HTML that shows the page rules the same.
import type { Mark, Tree, TreeElement } from '../drivers/browser-meeting/page/snapshot.ts'
import type { Privacy, Pseudonyms } from './pseudonyms.ts'

/** Elements whose text is the page's own, even in a call. */
const CONTROL_TAGS = new Set(['button', 'a', 'label', 'summary', 'option', 'legend', 'title', 'h1', 'h2', 'h3', 'dialog', 'input'])
const CONTROL_ROLES: ReadonlySet<string> = new Set([
  ...(['button', 'link', 'tab', 'menuitem', 'menuitemradio', 'menuitemcheckbox', 'option', 'switch', 'checkbox', 'radio'] as const),
  ...(['heading', 'alert', 'alertdialog', 'dialog', 'status', 'tooltip'] as const),
])
/** Lists of people and of messages. */
const PEOPLE_ROLES = new Set(['list', 'listitem', 'log', 'treeitem', 'row', 'article'])
const PEOPLE_TAGS = new Set(['li', 'ul', 'ol', 'article'])

/** Attributes that show text. */
const TEXTS = /^(?:aria-(?:label|description|roledescription|valuetext|placeholder)|title|placeholder|alt|value|label)$/
/** Names of the page's code. */
const CODES =
  /^(?:class|id|role|type|name|for|js\w+|data-(?:tid|testid|test-id|icon|icon-name|kit-frame)|aria-(?:controls|labelledby|describedby|owns))$/
/** They never hold ids. */
const NAMELESS = /^(?:class|role|type|js\w+|data-kit-frame)$/
const STATE = /^(?:[a-z]{0,12}|-?\d{1,4})$/
const PLAIN =
  /^(?:aria-(?!controls|labelledby|describedby|owns|activedescendant|details|flowto)\w+|tabindex|contenteditable|disabled|hidden|inert|open|checked|selected|readonly|required|dir|lang|width|height|maxlength|min|max)$/

const PRIVACY: Readonly<Record<Exclude<Mark, null>, Privacy>> = { talk: 'talk', tile: 'people' }
const VOID = new Set(['input', 'img', 'br', 'hr', 'source', 'track', 'wbr', 'area', 'col', 'embed', 'param'])

/** `inCall`: the page shows participants and what they say. */
export type Around = { readonly inCall: boolean; readonly key: string }

export class PageHtml {
  readonly #pseudonyms: Pseudonyms
  readonly #around: Around

  constructor(pseudonyms: Pseudonyms, around: Around) {
    this.#pseudonyms = pseudonyms
    this.#around = around
  }

  document(root: TreeElement): string {
    return `<!doctype html>\n${this.#element(root, this.#around.inCall ? 'people' : 'page')}\n`
  }

  #element(element: TreeElement, around: Privacy): string {
    const { tag, children, shadow } = element
    const privacy = privacyOf(element, around)
    const opening = `<${tag}${this.#attributes(element, privacy)}>`
    if (VOID.has(tag)) return opening
    const inner = (trees: readonly Tree[]) => trees.map((it) => this.#tree(it, privacy)).join('')
    const root = shadow ? `<template shadowrootmode="open">${inner(shadow)}</template>` : ''
    return `${opening}${root}${inner(children)}</${tag}>`
  }

  #tree(tree: Tree, privacy: Privacy): string {
    return typeof tree === 'string' ? escaped(this.#pseudonyms.pageText(tree, privacy)) : this.#element(tree, privacy)
  }

  #attributes({ tag, attributes, style }: TreeElement, privacy: Privacy): string {
    const kept = Object.entries(attributes).flatMap(([name, value]) => {
      const redacted = tag === 'iframe' && name === 'src' ? this.#frameAddress(value, attributes) : this.#attribute(name, value, privacy)
      return redacted === null ? [] : ` ${name}="${escaped(redacted)}"`
    })
    return `${kept.join('')} style="${style}"`
  }

  /** Null: the attribute goes. */
  #attribute(name: string, value: string, privacy: Privacy): string | null {
    if (!/^[a-z][\w-]*$/i.test(name)) return null
    if (TEXTS.test(name)) return this.#pseudonyms.pageText(value, privacy)
    if (PLAIN.test(name)) return STATE.test(value) ? value : this.#pseudonyms.text(value)
    // Ids among participants may be made of their names.
    if (NAMELESS.test(name) || (CODES.test(name) && privacy === 'page')) return this.#code(value)
    if (CODES.test(name)) return value.replaceAll(/\S+(?: \S+)*/g, (it) => this.#nameOrId(it))
    if (name === 'href') return '#'
    return name.startsWith('data-') ? this.#pseudonyms.text(value) : null
  }

  /** A name may have a badge behind it. */
  #nameOrId(value: string): string {
    return value.includes(' ') ? this.#pseudonyms.pageText(value, 'people') : this.#pseudonyms.text(value)
  }

  #code(value: string): string {
    return value.replaceAll(/\S+/g, (it) => (isCode(it) ? this.#pseudonyms.code(it) : this.#pseudonyms.id(it)))
  }

  /** The address of the frame's own document in the kit. */
  #frameAddress(address: string, attributes: Readonly<Record<string, string>>): string {
    const path = address.startsWith('http') ? new URL(address).origin + new URL(address).pathname : 'https://frame.invalid/'
    return `${this.#pseudonyms.id(path)}?kit-frame=${this.#around.key}.${attributes['data-kit-frame'] ?? ''}`
  }
}

function privacyOf({ tag, attributes, mark }: TreeElement, around: Privacy): Privacy {
  if (around === 'talk') return 'talk'
  if (mark) return PRIVACY[mark]
  const { role = '' } = attributes
  if (PEOPLE_TAGS.has(tag) || PEOPLE_ROLES.has(role)) return 'people'
  return CONTROL_TAGS.has(tag) || CONTROL_ROLES.has(role) ? 'page' : around
}

function isCode(word: string): boolean {
  return /^[\w-]{1,60}$/.test(word) && !/\d{5}/.test(word)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
