// A bundle: the new bytes of several growing files in one object. Its first line is JSON and says which bytes of which file follow it.
// Applying a bundle twice, or bundles in any order, gives the same files.
import { checkedKey } from './store.ts'

export type Part = {
  readonly file: string
  /** The offset of the bytes in the file. */
  readonly from: number
  readonly content: Buffer
}

/** `note`: a text for readers that need none of the parts. */
export type Bundle = { readonly note: string; readonly parts: readonly Part[] }

export function packBundle({ note, parts }: Bundle): Buffer {
  const head = { note, parts: parts.map(({ file, from, content }) => ({ file, from, bytes: content.length })) }
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), ...parts.map(({ content }) => content)])
}

/** Throws if the object is no whole bundle, or names a file outside its folder. */
export function unpackBundle(object: Buffer): Bundle {
  const headBytes = object.indexOf('\n') + 1
  const { note, parts }: Head = JSON.parse(object.toString('utf8', 0, headBytes))
  let at = headBytes
  const cut = parts.map(({ file, from, bytes }) => {
    if (file.includes('/')) throw new Error(`storage: a bundle names the file ${JSON.stringify(file)}`)
    at += bytes
    return { file: checkedKey(file), from, content: object.subarray(at - bytes, at) }
  })
  if (at !== object.length) throw new Error(`storage: a bundle has ${object.length} bytes and not ${at}`)
  return { note, parts: cut }
}

type Head = { readonly note: string; readonly parts: readonly { readonly file: string; readonly from: number; readonly bytes: number }[] }
