// Links in README, ARCHITECTURE, CONTRIBUTING and docs, and the paths of source files that they name.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { documentationFiles } from '../helpers/requests/snippets.ts'

const FILES = [...(await documentationFiles()), 'ARCHITECTURE.md', 'CONTRIBUTING.md']
const textOf = (file: string) => readFileSync(file, 'utf8')

/** GitHub's anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, '')
    .trim()
    .replaceAll(/\s/g, '-')

const anchorsOf = (file: string) => [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading))

function brokenLinks(file: string): string[] {
  const links = [...textOf(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target).filter((it) => !it.startsWith('http'))
  return links.filter((link) => {
    const [path = '', anchor] = link.split('#')
    const target = path === '' ? file : join(dirname(file), path)
    return !existsSync(target) || (anchor !== undefined && !anchorsOf(target).includes(anchor))
  })
}

test.each(FILES)('finds all files and headings that %s links to', (file) => {
  expect(brokenLinks(file)).toEqual([])
})

test.each(FILES)('finds all source files that %s names', (file) => {
  const paths = [...textOf(file).matchAll(/`((?:src|sims|test|bench|scripts|web|docs)\/[\w./-]+)`/g)].map(([, path = '']) => path)
  expect(paths.filter((path) => !existsSync(path) && path !== 'web/dist')).toEqual([])
})
