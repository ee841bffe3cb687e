// What a page sees in a bot's browser, beside an ordinary browser of the same machine: the same program without flags and code of the bot.
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { Difference } from '../../domain/doctor.ts'
import { PROGRAMS_PATH } from '../../kit/compiled.ts'
import { runProcess } from '../../kit/process.ts'
import { inTemporaryFolder } from '../../kit/temporary-folder.ts'
import { pageCall } from '../worker/page-bundle.ts'
import { findBrowser, isWithoutSandbox } from './browser.ts'
import { reasonFor } from './browser-differences.ts'
import type { MeetingPage } from './browser-meeting/meeting-page.ts'
import type { OpenBrowser } from './driver.ts'

const SENT_WITHIN_MS = 60_000

/** Texts by the name of a fact. */
type View = Readonly<Record<string, string>>

/** Opens an empty page of a bot, with all of the bot's code. */
export type OpenPage = (tools: {
  readonly browser: OpenBrowser
  readonly origins: readonly string[]
  readonly scripts: readonly string[]
}) => Promise<MeetingPage>

export type Compared = {
  readonly browser: OpenBrowser
  readonly openPage: OpenPage
  /** The recording, and the bot's microphone and camera. */
  readonly scripts: readonly string[]
  readonly executable: string | undefined
  /** The operator's own. Both browsers get them. */
  readonly flags: readonly string[]
}

export async function compareBrowsers(compared: Compared): Promise<readonly Difference[]> {
  const bot = await viewOf((url) => showToBot(compared, url))
  const ordinary = await viewOf((url) => showToOrdinary(compared, url))
  return differencesOf(bot, ordinary)
}

function differencesOf(bot: View, ordinary: View): readonly Difference[] {
  const facts = [...new Set([...Object.keys(ordinary), ...Object.keys(bot)])]
  return facts.flatMap((fact) => {
    const [own, other] = [bot[fact] ?? '', ordinary[fact] ?? '']
    return own === other ? [] : [{ fact, bot: own, ordinary: other, why: reasonFor(fact, own, other) }]
  })
}

type Shown = { readonly ended: Promise<unknown>; close(): Promise<unknown> }

/** Serves the page on loopback and resolves with what it sends. */
async function viewOf(show: (url: URL) => Promise<Shown>): Promise<View> {
  const sent = Promise.withResolvers<View>()
  let headers: View = {}
  const server = createServer((request, response) => {
    if (request.url === '/') headers = headersIn(request.headers, request.rawHeaders)
    if (request.url === '/') response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE)
    else response.writeHead(request.method === 'POST' ? 204 : 404).end()
    if (request.method === 'POST') json(request).then((facts) => sent.resolve({ ...headers, ...(facts as View) }), sent.reject)
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve))
  const timer = setTimeout(() => sent.reject(new Error(`The page sent nothing within ${SENT_WITHIN_MS / 1000} s`)), SENT_WITHIN_MS)
  try {
    const shown = await show(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`))
    shown.ended.catch(sent.reject)
    return await sent.promise.finally(() => shown.close())
  } finally {
    clearTimeout(timer)
    server.close()
    server.closeAllConnections()
  }
}

const PAGE = `<!doctype html><html lang="en"><meta charset="utf-8"><title>View</title><body>
<script>${pageCall(import.meta.url, 'browser-meeting/page/view.ts', 'sendView').replaceAll('</', '<\\/')}</script>`

function headersIn(headers: IncomingHttpHeaders, raw: readonly string[]): View {
  const names = raw.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase())
  const facts = names.filter((name) => name !== 'host').map((name) => [`header ${name}`, String(headers[name])])
  return { ...Object.fromEntries(facts), 'order of headers': names.join() }
}

async function showToBot({ browser, openPage, scripts }: Compared, url: URL): Promise<Shown> {
  const page = await openPage({ browser, scripts, origins: [url.origin] })
  await page.page.goto(url.href)
  return { ended: new Promise(() => undefined), close: () => page.close() }
}

/** Flags without which no page opens: the place of the window, and questions to a person about a new profile. */
const ORDINARY_FLAGS = {
  headed: ['--ozone-platform=x11', '--window-position=0,0'],
  headless: ['--headless=new'],
  both: ['--no-first-run', '--no-default-browser-check', '--password-store=basic', '--disable-search-engine-choice-screen'],
}

async function showToOrdinary({ browser, executable, flags }: Compared, url: URL): Promise<Shown> {
  const mode = browser.display ? 'headed' : 'headless'
  const over = new AbortController()
  const run = (isolation: readonly string[]) =>
    inTemporaryFolder(join(tmpdir(), 'ordinary-browser-'), (profile) =>
      runProcess({
        program: findBrowser(executable, mode),
        args: [...ORDINARY_FLAGS[mode], ...ORDINARY_FLAGS.both, ...isolation, ...flags, `--user-data-dir=${profile}`, url.href],
        env: browser.display?.environment ?? { PATH: PROGRAMS_PATH, HOME: homedir(), TMPDIR: tmpdir() },
        limitMs: SENT_WITHIN_MS,
        signal: over.signal,
      }),
    )
  const ended = run([]).catch((error: unknown) => {
    if (!isWithoutSandbox(error)) throw error
    return run(['--no-sandbox'])
  })
  return {
    ended,
    async close() {
      over.abort()
      await ended.catch(() => undefined)
    },
  }
}
