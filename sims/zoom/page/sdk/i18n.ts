/// <reference lib="dom" />
// The texts of the SDK, loaded from the library path that the page has set.

import { ENGLISH } from '../../site/words/en.ts'
import type { Words } from '../../site/words.ts'

const VERSION = '6.2.0'

let library = `https://source.zoom.us/${VERSION}/lib`
let current = 'en-US'
const loaded = new Map<string, Words>([['en-US', ENGLISH]])

export function setLibrary(path?: string): void {
  if (path) library = path
}

export const words = (): Words => loaded.get(current) ?? ENGLISH

export const i18n = {
  async load(source: string | object, name?: string): Promise<unknown> {
    const language = name ?? String(source)
    const texts = typeof source === 'object' ? source : await fetched(name ? String(source) : `${library}/lang/${language}.json`)
    loaded.set(language, { ...ENGLISH, ...(texts as Partial<Words>) })
    current = language
    document.documentElement.lang = language
    return texts
  },
  reload: () => undefined,
  onLoad: (callback: (result: 'success' | 'timeout') => void) => callback('success'),
  getAll: (language: string) => loaded.get(language) ?? {},
  get: (key: string) => key,
  getCurrentLang: () => current,
  getSupportLanguage: () => ['en-US', 'de-DE', 'nl-NL', 'zh-CN'],
  setSupportLanguage: () => undefined,
}

async function fetched(url: string): Promise<unknown> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return response.json()
}
