// How smoothly the dashboard scrolls a list of 10,000 bots, compared with a list of one page.
import type { Page } from 'playwright-core'
import { launchBrowser } from '../sims/room/people.ts'
import { digestOfToken } from '../src/service/accounts/secret-token.ts'
import { loadNow } from './harness/machine.ts'
import { atMost, type Report } from './harness/report.ts'
import { type BenchServer, withServer } from './harness/server.ts'
import { spreadOf } from './harness/statistics.ts'
import { linkWithoutDriver, WITHOUT_BROWSERS } from './harness/without-driver.ts'
import type { BenchOptions } from './options.ts'

const BOTS = 10_000
const TOKEN = 'a-session-of-the-bench'
const FRAMES = 300
/** A fast scroll: 60 pixels per frame are 3,600 per second. */
const PIXELS_PER_FRAME = 60
const LOADED_WITHIN_MS = 180_000

export function dashboard(options: BenchOptions): Promise<Report> {
  return withServer({ ...options, settings: WITHOUT_BROWSERS }, async (server) => {
    const before = loadNow()
    const workspace = await signIn(server)
    await fill(server, workspace)
    const browser = await launchBrowser()
    server.atEnd(() => browser.close())
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
    await context.addCookies([{ name: 'emissary_session', value: TOKEN, url: server.url }])
    const page = await context.newPage()
    await page.goto(`${server.url}/w/${workspace}/bots`)
    await page.getByRole('listitem').first().waitFor()
    const few = spreadOf(await frameTimes(page, 0))
    const loadedInSeconds = await loadAll(page)
    const many = spreadOf(await frameTimes(page, 300_000))
    const rows = await page.getByRole('listitem').count()
    const heapMegabytes = await page.evaluate('performance.memory ? performance.memory.usedJSHeapSize / 1e6 : 0')
    return {
      figures: {
        'frame, ms': { 'one page of bots': few, '10,000 bots': many },
        list: { bots: { 'seconds to load all': loadedInSeconds, 'rows in the page': rows, 'heap, MB': Number(heapMegabytes) } },
        machine: { before, after: loadNow() },
      },
      budgets: [atMost('frame p95, 10,000 bots / one page', many.p95 / few.p95, 1.5), atMost('rows in the page', rows, 60)],
    }
  })
}

/** Creates a person with a session, and returns the workspace. */
async function signIn({ db }: BenchServer): Promise<string> {
  await db.query(`insert into people (id, email, name, password, created_at) values ('per_bench', 'bench@example.com', 'Bench', '', now())`)
  const { rows } = await db.query<{ workspace_id: string }>(`update users set person_id = 'per_bench' returning workspace_id`)
  await db.query(
    `insert into sessions (id, digest, person_id, user_agent, created_at, last_seen_at, expires_at)
     values ('ses_bench', $1, 'per_bench', 'bench', now(), now(), now() + interval '1 day')`,
    [digestOfToken(TOKEN)],
  )
  return rows[0]?.workspace_id ?? ''
}

/** Copies of a real bot. */
async function fill({ url, apiKey, db }: BenchServer, workspace: string): Promise<void> {
  await fetch(`${url}/api/v1/bots/create_bot`, {
    method: 'POST',
    headers: { authorization: `Token ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      meeting_link: linkWithoutDriver(0),
      bot_name: 'Weekly sales',
      join_at: new Date(Date.now() + 24 * 60 * 60_000).toISOString(),
      custom_attributes: { team: 'sales', week: 46 },
    }),
  })
  await db.query(
    `insert into bots (id, workspace_id, platform, meeting_id, meeting_url, name, status, message, created_at, custom_attributes, timeline, request, spec)
     select 'bot_bench' || number, $1, platform, meeting_id || number, meeting_url || number, name || ' ' || number,
       (array['Done', 'Failed', 'Stopped', 'Cancelled'])[1 + number % 4], message, now() - number * interval '1 minute', custom_attributes,
       timeline, request, spec
     from generate_series(1, ${BOTS - 1}) as number cross join (select * from bots limit 1) as pattern`,
    [workspace],
  )
}

/** The times between frames while the list scrolls. */
function frameTimes(page: Page, fromPixels: number): Promise<number[]> {
  return page.evaluate(`new Promise((resolve) => {
    window.scrollTo(0, ${fromPixels})
    const times = []
    let last = performance.now()
    const step = (now) => {
      times.push(now - last)
      last = now
      if (times.length === ${FRAMES}) return resolve(times.slice(1))
      const isDown = Math.floor(times.length / 50) % 2 === 0
      window.scrollBy(0, isDown ? ${PIXELS_PER_FRAME} : -${PIXELS_PER_FRAME})
      requestAnimationFrame(step)
    }
    requestAnimationFrame(step)
  })`)
}

async function loadAll(page: Page): Promise<number> {
  const startedAt = performance.now()
  const last = page.locator(`[aria-setsize="${BOTS}"]`).first()
  while ((await last.count()) === 0) {
    if (performance.now() - startedAt > LOADED_WITHIN_MS) throw new Error('bench: the list did not load all bots in time')
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(resolve))')
  }
  return (performance.now() - startedAt) / 1_000
}
