/// <reference lib="dom" />
// The usual way to record a meeting, for comparison: a browser on a virtual display and sound card, recorded by ffmpeg.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { childrenWith } from '../harness/processes.ts'
import type { BenchServer } from '../harness/server.ts'
import { eventually } from '../meeting/bots.ts'
import { BROWSER_FLAGS, LAUNCH, type Meeting } from '../meeting/room-meeting.ts'

const SCREEN = '1280x720'
const FRAMES_PER_SECOND = 15
const SINK = 'meeting'
const STOPPED_WITHIN_MS = 10_000
const SEEN_WITHIN_MS = 60_000

/** The recording as ffprobe reads it. */
type Film = { readonly seconds: number; readonly frames: number; readonly soundSeconds: number }

type Filming = {
  readonly roots: readonly number[]
  /** Pictures of all cameras that the page has shown so far. */
  shown(): Promise<number>
  stop(): Promise<Film>
}

export type ScreenRecorder = {
  /** Joins the meeting, waits until everybody is visible, and records. */
  film(meeting: Meeting): Promise<Filming>
}

/** `flags` lead the browser to the meetings. */
export async function startScreen(server: BenchServer, flags: readonly string[]): Promise<ScreenRecorder> {
  const folder = await mkdtemp(join(tmpdir(), 'emissary-bench-screen-'))
  server.atEnd(() => rm(folder, { recursive: true, force: true }))
  const tools: ChildProcess[] = []
  server.atEnd(() => Promise.all(tools.map(stop)))

  const display = await startDisplay(tools)
  const sound = join(folder, 'pulse')
  await startSound(tools, sound)
  const environment = { ...process.env, DISPLAY: display, PULSE_SERVER: `unix:${sound}/socket`, PULSE_SINK: SINK }
  const profile = join(folder, 'profile')
  const context = await chromium.launchPersistentContext(profile, {
    ...LAUNCH,
    viewport: null,
    // With microphone permission, ICE uses real addresses, so no mDNS is needed.
    permissions: ['microphone', 'camera'],
    // Hides the bars about automation and the missing sandbox.
    ignoreDefaultArgs: ['--enable-automation', '--mute-audio'],
    args: ['--kiosk', '--test-type', `--window-size=${SCREEN.replace('x', ',')}`, '--window-position=0,0', ...BROWSER_FLAGS, ...flags],
    env: environment,
  })
  server.atEnd(() => context.close())
  const page = context.pages()[0] ?? (await context.newPage())

  return {
    async film(meeting) {
      await watch(page, meeting)
      const file = join(folder, 'film.mp4')
      const ffmpeg = startFfmpeg(file, display, environment)
      tools.push(ffmpeg)
      await eventually('ffmpeg films', async () => existsSync(file))
      return {
        roots: [
          ...childrenWith(process.pid, profile),
          ...tools.filter(({ exitCode }) => exitCode === null).flatMap(({ pid }) => pid ?? []),
        ],
        shown: () => page.evaluate(shownPictures),
        async stop() {
          await stop(ffmpeg)
          await page.goto('about:blank')
          return filmIn(file)
        },
      }
    },
  }
}

async function startDisplay(tools: ChildProcess[]): Promise<string> {
  // Xvfb takes a free display number and writes it to file descriptor 3.
  const xvfb = spawn('Xvfb', ['-displayfd', '3', '-screen', '0', `${SCREEN}x24`, '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    detached: true,
  })
  tools.push(xvfb)
  const displayPipe = xvfb.stdio[3]
  if (!displayPipe) throw new Error('bench: Xvfb has no pipe for its display number')
  const [number] = (await once(displayPipe, 'data', { signal: AbortSignal.timeout(STOPPED_WITHIN_MS) })) as [Buffer]
  return `:${number.toString().trim()}`
}

async function startSound(tools: ChildProcess[], folder: string): Promise<void> {
  await mkdir(folder, { mode: 0o700 })
  const modules = [`module-null-sink sink_name=${SINK}`, `module-native-protocol-unix socket=${folder}/socket auth-anonymous=1`]
  const load = modules.map((module) => `--load=${module}`)
  const env = { ...process.env, HOME: folder, XDG_RUNTIME_DIR: folder }
  tools.push(spawn('pulseaudio', ['-n', '--daemonize=no', '--exit-idle-time=-1', ...load], { stdio: 'ignore', env, detached: true }))
  await eventually('PulseAudio listens', async () => existsSync(`${folder}/socket`))
}

/** Joins and waits until every video moves. */
async function watch(page: Page, meeting: Meeting): Promise<void> {
  await meeting.enter(page)
  const everybodyMoves = (people: number) => {
    const moving = [...document.querySelectorAll('video')].filter((video) => video.videoWidth > 0 && video.currentTime > 1)
    return moving.length >= people
  }
  await page.waitForFunction(everybodyMoves, meeting.size.people, { timeout: SEEN_WITHIN_MS })
}

function shownPictures(): number {
  return [...document.querySelectorAll('video')].reduce((sum, video) => sum + video.getVideoPlaybackQuality().totalVideoFrames, 0)
}

function startFfmpeg(file: string, display: string, env: NodeJS.ProcessEnv): ChildProcess {
  // Enough for a short stall. A raw frame has 4 MB, so a longer queue would hide missed frames in memory.
  const queue = ['-thread_queue_size', '32']
  const screen = ['-f', 'x11grab', '-video_size', SCREEN, '-framerate', String(FRAMES_PER_SECOND), '-i', display]
  const loudspeaker = ['-f', 'pulse', '-i', `${SINK}.monitor`]
  const picture = ['-c:v', 'libx264', '-preset', 'veryfast', '-pix_fmt', 'yuv420p', '-b:v', '1500k']
  const sound = ['-c:a', 'aac', '-b:a', '64k']
  const args = ['-v', 'error', '-y', ...queue, ...screen, ...queue, ...loudspeaker, ...picture, ...sound, file]
  return spawn('ffmpeg', args, { env, stdio: ['ignore', 'ignore', 'inherit'], detached: true })
}

/** An interrupted ffmpeg finishes its file. */
async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  child.kill('SIGINT')
  const late = setTimeout(() => child.kill('SIGKILL'), STOPPED_WITHIN_MS)
  await once(child, 'exit')
  clearTimeout(late)
}

function filmIn(file: string): Film {
  const args = ['-v', 'error', '-count_packets', '-show_entries', 'stream=codec_type,duration,nb_read_packets', '-of', 'json', file]
  const { stdout } = spawnSync('ffprobe', args, { encoding: 'utf8' })
  type Stream = { codec_type: string; duration: string; nb_read_packets: string }
  const { streams = [] } = JSON.parse(stdout || '{}') as { streams?: readonly Stream[] }
  const of = (type: string) => streams.find(({ codec_type }) => codec_type === type)
  const seconds = (type: string) => Number(of(type)?.duration ?? 0)
  return { seconds: seconds('video'), frames: Number(of('video')?.nb_read_packets ?? 0), soundSeconds: seconds('audio') }
}
