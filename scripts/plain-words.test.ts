// The word checker: the texts that it reads, and those that it skips.
import { describe, expect, test } from 'vitest'
import { findInCode, findInDocs } from './plain-words.ts'

const found = (text: string, file = 'src/x.ts') => findInCode(text, file).map(({ line, word }) => `${line} ${word}`)

describe('code', () => {
  test.each([
    ['a line comment', '\n// The worker is told.', ['2 told']],
    ['each line of a block comment', '/**\n * Ends here.\n * Nobody waits.\n */\nconst a = 1', ['3 Nobody']],
    ['a comment before a closing brace', 'const a = [\n  1,\n  // Whoever comes.\n]', ['3 Whoever']],
    ['a comment after a string with slashes', "const a = 'http://b' // heard late", ['1 heard']],
    ['a comment between template parts', 'const a = `//$' + '{b}//` // heard late', ['1 heard']],
    ['a sentence that begins with who is', '// Waits. Who is late leaves.', ['1 Who is']],
    ['a variable', 'const lastToldAt = 1', ['1 told']],
    ['a private property', 'class A { #wishes = [] }', ['1 wishes']],
    ['a destructured name', 'const { heard } = a', ['1 heard']],
    ['a type member', 'type A = { readonly toldAt: string }', ['1 told']],
    ['two words of a name', 'function passOn() {}', ['1 pass on']],
    ['a test name', "test('lets nobody wait', () => {})", ['1 nobody']],
    ['the name of a table test', "describe('a', () => test.each([1])('reports nobody %s', () => {}))", ['1 nobody']],
    ['a test name that begins without a verb', "test('after a crash', () => {})", ['1 after']],
    ['a test name that begins with a plural', "describe('frames', () => test.each([1])('are rejected: %s', () => {}))", ['1 are']],
  ])('reports %s', (_, text, findings) => {
    expect(found(text)).toEqual(findings)
  })

  test('reports a file name', () => {
    expect(found('', 'src/hear-all.ts')).toEqual(['1 hear'])
  })

  test.each([
    ['a string', "const a = 'nobody told'"],
    ['a template', 'const a = `// nobody told`'],
    ['a regular expression', 'const a = /\\/\\/ nobody/'],
    ['a quoted property', "const a = { 'told': 1 }"],
    ['the name of a foreign property', 'const a = b.heard'],
    ['a word that only contains one', '// The shallow one matters.\nconst distillery = 1'],
    ['a sentence that goes on in the next line', '// The error says\n// what is wrong.'],
    ['a name that a comment quotes', '// Ends with `told`.'],
    ['a still picture', 'const stillImage = 1'],
    ['a test name that begins with a verb', "test('rejects a body', () => {})"],
    ['a test name that begins with never', "test('never throws', () => {})"],
    ['a test name of the table', "test.each([['rejects a body']])('%s', () => {})"],
    ['a call of a variable', "list.some((it) => it.includes('after'))"],
  ])('leaves %s alone', (_, text) => {
    expect(found(text)).toEqual([])
  })

  test('names a word to use instead', () => {
    expect(findInCode('const told = 1', 'src/x.ts')).toEqual([{ line: 1, word: 'told', say: 'send, report, notify, receive or known' }])
  })
})

describe('docs', () => {
  test('reports prose and skips code', () => {
    const text = 'Somebody waits.\n```ts\n// nobody\n```\nUse `nobody`, or whoever.\nThe bot is told.'
    expect(findInDocs(text).map(({ line, word }) => `${line} ${word}`)).toEqual(['1 Somebody', '5 whoever'])
  })
})
