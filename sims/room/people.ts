// Scripted people for demo and tests: real Chromium pages with known voices and colours, which join, talk and leave by the clock.
import { setTimeout as delay } from 'node:timers/promises'
import { type Browser, chromium } from 'playwright-core'
import { spoken } from '../speech/espeak.ts'
import { Person } from './person.ts'

/** All times are seconds after the common start. */
export type Script = {
  readonly name: string
  readonly colour: string
  /** Hertz. It sounds whenever the microphone is on. */
  readonly tone?: number
  readonly say?: readonly { readonly at: number; readonly text: string }[]
  readonly voice?: string
  /** Null: joins only on request. */
  readonly joinAt?: number | null
  readonly leaveAt?: number
  readonly muteAt?: number
  readonly unmuteAt?: number
  readonly shareAt?: number
  readonly stopShareAt?: number
  readonly shareColour?: string
  readonly chat?: readonly { readonly at: number; readonly text: string }[]
  /** False: the browser finds neither microphone nor camera. */
  readonly hasDevices?: boolean
  readonly query?: Readonly<Record<string, string>>
  readonly viewport?: { readonly width: number; readonly height: number }
}

export type PeopleOptions = {
  readonly browser?: Browser
  readonly roomUrl: string
  readonly people: readonly Script[]
  /** The common start. Default: now. */
  readonly startsWhen?: Promise<unknown>
}

export type People = {
  readonly people: readonly Person[]
  named(name: string): Person
  /** Resolves when every script has ended, and rejects with the first step that failed. */
  readonly played: Promise<void>
  stop(): Promise<void>
}

/** Flags to play several people at once, also on a machine without a network. */
const FLAGS = [
  '--headless=new',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--mute-audio',
  '--autoplay-policy=no-user-gesture-required',
  // Without it, a machine with only a loopback interface has no ICE candidates.
  '--allow-loopback-in-peer-connection',
  '--disable-background-timer-throttling',
  '--disable-backgrounding-occluded-windows',
  '--disable-renderer-backgrounding',
]

export function launchBrowser(flags: readonly string[] = []): Promise<Browser> {
  return chromium.launch({ executablePath: '/usr/bin/chromium', headless: false, args: [...FLAGS, ...flags] })
}

export async function startPeople({ browser: given, roomUrl, people: scripts, startsWhen }: PeopleOptions): Promise<People> {
  const browser = given ?? (await launchBrowser())
  const ending = new AbortController()
  const people = await Promise.all(scripts.map((script) => create(browser, roomUrl, script)))
  const plays = await Promise.all(scripts.map((script, index) => stepsOf(script, people[index])))

  const played = Promise.resolve(startsWhen).then(async () => {
    const start = performance.now()
    await Promise.all(plays.map((steps) => play(steps, start, ending.signal)))
  })
  played.catch(() => undefined) // Reported to callers of `finished`.
  return {
    people,
    named(name) {
      const person = people.find((it) => it.name === name)
      if (!person) throw new Error(`The script has no person called ${name}`)
      return person
    },
    played,
    async stop() {
      ending.abort()
      await Promise.all(people.map((it) => it.stop()))
      if (!given) await browser.close()
    },
  }
}

function create(browser: Browser, roomUrl: string, script: Script): Promise<Person> {
  const { name, colour, tone = null, shareColour = '#f2d024', hasDevices = true, query = {} } = script
  const devices = { name, colour, shareColour, tone, hasDevices }
  return Person.create({ browser, roomUrl, name, devices, query, viewport: script.viewport ?? { width: 1280, height: 720 } })
}

/** A step that runs `beside` does not delay the next. */
type Step = { readonly at: number; readonly take: () => Promise<unknown>; readonly beside?: true }

async function stepsOf(script: Script, person: Person | undefined): Promise<Step[]> {
  if (!person) return []
  const once = (at: number | null | undefined, take: () => Promise<unknown>): Step[] =>
    at === undefined || at === null ? [] : [{ at, take }]
  const words = (script.say ?? []).map(async ({ at, text }) => {
    const wav = await spoken(text, script.voice ?? 'en-us')
    return { at, take: () => person.speak(wav), beside: true as const }
  })
  const steps = [
    ...once(script.joinAt === undefined ? 0 : script.joinAt, () => person.join()),
    ...once(script.muteAt, person.mute),
    ...once(script.unmuteAt, person.unmute),
    ...once(script.shareAt, person.share),
    ...once(script.stopShareAt, person.stopSharing),
    ...(script.chat ?? []).map(({ at, text }) => ({ at, take: () => person.write(text) })),
    ...(await Promise.all(words)),
    ...once(script.leaveAt, person.leave),
  ]
  return steps.toSorted((a, b) => a.at - b.at)
}

async function play(steps: readonly Step[], start: number, signal: AbortSignal): Promise<void> {
  const beside: Promise<unknown>[] = []
  for (const { at, take, beside: runsBeside } of steps) {
    const stopped = await delay(Math.max(0, start + at * 1000 - performance.now()), false, { signal }).catch(() => true)
    if (stopped) return
    // A person who leaves does not finish the current sentence.
    if (runsBeside) beside.push(take().catch(() => undefined))
    else await take()
  }
  await Promise.all(beside)
}
