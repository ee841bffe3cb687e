// A recording in a process that can be killed, controlled over IPC.

import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { type Capture, type CaptureHealth, startCapture } from '../../../src/bot/capture/capture.ts'
import type { TrackInfo } from '../../../src/bot/capture/wire.ts'
import type { TrackOwner } from '../../../src/domain/meeting.ts'
import { nextSession } from './manifest.ts'

type Order =
  | { readonly id: number; readonly what: 'pause' | 'resume' | 'health' | 'now' }
  | {
      readonly id: number
      readonly what: 'own'
      readonly source: string
      readonly participantId: string
      readonly kind: 'audio' | 'camera'
    }
type Request = Order extends infer Each ? (Each extends Order ? Omit<Each, 'id'> : never) : never

export type CaptureProcess = {
  readonly initScript: string
  ask<Answer>(request: Request): Promise<Answer>
  kill(): Promise<void>
}

/** Runs this file as a child process. */
export async function forkCapture(folder: string, onTrack: (source: string, info: TrackInfo) => void): Promise<CaptureProcess> {
  const child = fork(fileURLToPath(import.meta.url), [folder], { execArgv: [], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const waiting = new Map<number, (answer: never) => void>()
  let count = 0
  const initScript = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error('The capture process ended before it started.')))
    child.on('message', (message: { initScript?: string; track?: [string, TrackInfo]; id?: number; answer?: never }) => {
      if (message.initScript !== undefined) resolve(message.initScript)
      if (message.track) onTrack(...message.track)
      if (message.id !== undefined) waiting.get(message.id)?.(message.answer as never)
    })
  })
  return {
    initScript,
    ask(request) {
      const id = ++count
      child.send({ ...request, id })
      return new Promise((resolve) => waiting.set(id, resolve))
    },
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await exited
    },
  }
}

async function serve(folder: string): Promise<void> {
  const capture = await startCapture({
    folder,
    session: nextSession(folder),
    video: true,
    onTrack: (...track) => process.send?.({ track }),
  })
  await capture.begin()
  process.on('message', (order: Order) => process.send?.({ id: order.id, answer: execute(capture, order) ?? null }))
  process.send?.({ initScript: capture.initScript })
}

function execute(capture: Capture, order: Order): CaptureHealth | number | boolean | undefined {
  if (order.what === 'own') return own(capture, order)
  if (order.what === 'health') return capture.health()
  if (order.what === 'now') return capture.nowMs()
  capture[order.what]()
  return undefined
}

const owners: TrackOwner[] = []

function own(capture: Capture, { source, participantId, kind }: Extract<Order, { what: 'own' }>): boolean {
  const track = capture.health().sources[source]?.info.ref
  if (!track) return false
  owners.push({ track, participantId, kind })
  capture.setOwners(owners)
  return true
}

const folder = process.argv[2]
if (process.argv[1] === fileURLToPath(import.meta.url) && folder) await serve(folder)
