// Finds unclear words in comments, names, test names and docs. Reads everything, or the folders and files given as arguments.
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import ts from 'typescript'

const CODE = ['src', 'sims', 'simulation', 'bench', 'scripts', 'test', 'web/src']
const GENERATED = /^(web\/src\/api|test\/client)\//
/** Its names are those of the database columns, which migrations fix. */
const COLUMNS = /^src\/service\/db\/(.*\/)?tables\.ts$/
const DOCS = ['*.md', 'docs/**/*.md']

type Place = 'comment' | 'name' | 'test name' | 'claim' | 'docs'
type Rule = { readonly word: RegExp; readonly say: string; readonly places: readonly Place[] }

const CODE_PLACES = ['comment', 'name', 'test name'] as const
const PROSE = ['comment', 'test name', 'docs'] as const

/** Names are checked as words: `toldAt` is read as `told At`. */
const RULES: readonly Rule[] = [
  { word: /\b(tells?|told|telling)\b/i, say: 'send, report, notify, receive or known', places: CODE_PLACES },
  { word: /\b(un|over)?(hears?|heard)\b/i, say: 'receive for messages, listen or audible for sound', places: CODE_PLACES },
  { word: /\bobey\w*/i, say: 'execute or handle', places: CODE_PLACES },
  { word: /\bdeeds?\b/i, say: 'action or command', places: CODE_PLACES },
  { word: /\bgrasp\w*/i, say: 'parse or read', places: CODE_PLACES },
  { word: /\bwish\w*/i, say: 'request or options', places: CODE_PLACES },
  { word: /\bkeepsakes?\b/i, say: 'artefacts', places: CODE_PLACES },
  { word: /\b(crew|(?<!town )hall|cellar|roof|wings?)\b/i, say: 'the plain thing: workers, lobby, layer, folder', places: CODE_PLACES },
  { word: /\btogether\b/i, say: 'transaction, merge, combine or all', places: ['name'] },
  { word: /\bpass(es|ed)? on\b/i, say: 'forward', places: ['name'] },
  { word: /^(is )?still\b(?! (image|picture|frame))/i, say: 'isOpen, isActive or whatever holds', places: ['name'] },
  {
    word: /\b(whoever|whomever|nobody|somebody)\b/i,
    say: 'the subject: the bot, the caller, the receiver',
    places: ['name', ...PROSE],
  },
  // A line that begins with a small letter continues a sentence.
  {
    word: /(?<=^|[.:;] )(Who|What) (is|are|was|has|had)\b/,
    say: 'the subject: the bot, the packet, the lease',
    places: ['comment', 'docs'],
  },
  { word: /^(who|what) (is|are|was|has|had)\b/i, say: 'the subject: the bot, the packet, the lease', places: ['test name'] },
  // `%s`: the rows of the table have the names.
  { word: /^(?!never |%s|[a-z]+s\b)\S*/, say: 'a verb first: rejects, keeps, counts', places: ['claim'] },
]

/** Names of stored data: columns, and fields of stored JSON. */
const STORED = /^(wish|wished at|wish config|wish from|wish until|nobody joined seconds|heard seconds)$/

export type Finding = { readonly line: number; readonly word: string; readonly say: string }

/** The ruled-out words of one TypeScript file, in the order of its lines. */
export function findInCode(text: string, file: string): readonly Finding[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true)
  const lineAt = (position: number) => source.getLineAndCharacterOfPosition(position).line + 1
  const literals: ts.Node[] = []
  const findings = [...check('name', [[1, spaced(basename(file).replace(/\..*$/, ''))]])]
  const visit = (node: ts.Node): void => {
    if (isText(node)) literals.push(node)
    if (isOwnName(node) && !COLUMNS.test(file)) findings.push(...check('name', [[lineAt(node.getStart()), spaced(node.text)]]))
    for (const place of ['test name', 'claim'] as const) {
      const title = testTitle(node, place)
      if (title) findings.push(...check(place, [[lineAt(title.getStart()), title.getText().slice(1, -1)]]))
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  for (const { index, 0: comment } of withoutTexts(text, literals).matchAll(COMMENTS)) {
    const lines = comment.split('\n').map((line) => line.replace(/^\s*(\/\/|\/\*\*?|\*)\s*/, '').replace(QUOTED, '``'))
    findings.push(
      ...check(
        'comment',
        lines.map((line, more) => [lineAt(index) + more, line]),
      ),
    )
  }
  return findings.toSorted((a, b) => a.line - b.line)
}

const QUOTED = /`[^`\n]*`/g
const COMMENTS = /\/\/.*|\/\*[\s\S]*?\*\//g

/** Nodes whose text may contain two slashes without being a comment. */
function isText(node: ts.Node): boolean {
  return ts.isStringLiteral(node) || ts.isTemplateLiteralToken(node) || ts.isRegularExpressionLiteral(node) || ts.isJsxText(node)
}

function withoutTexts(text: string, literals: readonly ts.Node[]): string {
  const parts = literals.map((node, index) => text.slice(literals[index - 1]?.end ?? 0, node.getStart()) + ' '.repeat(node.getWidth()))
  return parts.join('') + text.slice(literals.at(-1)?.end ?? 0)
}

/** The ruled-out words of one Markdown file, outside its code. */
export function findInDocs(text: string): readonly Finding[] {
  const prose = text.replace(/^```[\s\S]*?^```/gm, (block) => block.replace(/[^\n]/g, '')).replace(QUOTED, '``')
  return check(
    'docs',
    prose.split('\n').map((line, index) => [index + 1, line]),
  )
}

function check(place: Place, lines: readonly (readonly [number, string])[]): readonly Finding[] {
  const rules = RULES.filter(({ places }) => places.includes(place))
  return lines.flatMap(([line, text]) =>
    rules.flatMap(({ word, say }) =>
      Array.from(text.matchAll(new RegExp(word, `g${word.flags}`)), ([found]) => ({ line, word: found, say })),
    ),
  )
}

/** A name is reported where it is declared. A quoted property belongs to a wire format. */
function isOwnName(node: ts.Node): node is ts.Identifier | ts.PrivateIdentifier {
  if (!ts.isIdentifier(node) && !ts.isPrivateIdentifier(node)) return false
  const { parent } = node
  return !STORED.test(spaced(node.text)) && 'name' in parent && parent.name === node && !ts.isPropertyAccessExpression(parent)
}

/** The calls with a test name. A claim is the name of a test, without those of its subjects. */
const TEST_CALLS = {
  'test name': /^(test|describe)(\.(each|for|only|runIf|skipIf)\b|$)/,
  claim: /^test(\.(each|for|only|runIf|skipIf)\b|$)/,
}

/** The first argument of `test('…')`, `test.each(rows)('…')` and the like. */
function testTitle(node: ts.Node, place: keyof typeof TEST_CALLS): ts.Expression | undefined {
  const [title] = ts.isCallExpression(node) ? node.arguments : []
  const isTitle = title && (ts.isStringLiteralLike(title) || ts.isTemplateExpression(title))
  return isTitle && ts.isCallExpression(node) && TEST_CALLS[place].test(node.expression.getText()) ? title : undefined
}

/** `lastToldAt` and `last-told-at` as `last told at`. */
function spaced(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/[_#$-]+/g, ' ')
    .trim()
    .toLowerCase()
}

function main(folders: readonly string[]): void {
  const code = (folders.length > 0 ? folders : CODE).flatMap((it) => globSync(/\.tsx?$/.test(it) ? it : `${it}/**/*.{ts,tsx,mjs}`))
  const docs = folders.length > 0 ? [] : globSync(DOCS)
  const report = (file: string, findings: readonly Finding[]) =>
    findings.map(({ line, word, say }) => `${file}:${line} '${word}': say ${say}`)
  const lines = [
    ...code.filter((file) => !GENERATED.test(file)).flatMap((file) => report(file, findInCode(readFileSync(file, 'utf8'), file))),
    ...docs.flatMap((file) => report(file, findInDocs(readFileSync(file, 'utf8')))),
  ]
  for (const line of lines) console.error(line)
  if (lines.length > 0) process.exitCode = 1
  else console.log(`words: ${code.length + docs.length} files, all words are plain`)
}

if (process.argv[1] === import.meta.filename) main(process.argv.slice(2))
