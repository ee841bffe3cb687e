// A browser with meeting pages that are recorded, and readers of the files.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { chromium, type Page } from 'playwright-core'
import { type Track, tracksOf } from '../../../src/domain/recording.ts'
import { type PageStyle, PEOPLE, serveMeeting } from './capture-page.ts'
import { readManifest } from './manifest.ts'
import type { Picture } from './recorded-media.ts'

const FLAGS = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking']
const MORE_FLAGS = ['--disable-component-update', '--disable-sync', '--mute-audio', '--autoplay-policy=no-user-gesture-required']

export type CaptureFixture = {
  newFolder(): string
  enter(initScript: string, style: PageStyle, people?: number): Promise<Page>
  close(): Promise<void>
}

export async function openCaptureFixture(): Promise<CaptureFixture> {
  const meeting = await serveMeeting()
  const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', headless: false, args: [...FLAGS, ...MORE_FLAGS] })
  const folders: string[] = []
  return {
    newFolder() {
      const folder = mkdtempSync(path.join(tmpdir(), 'capture-'))
      folders.push(folder)
      return folder
    },
    async enter(initScript, style, people = PEOPLE.length) {
      const context = await browser.newContext({ bypassCSP: true })
      await context.grantPermissions(['local-network-access'])
      await context.addInitScript({ content: initScript })
      const page = await context.newPage()
      await page.goto(meeting.url(style, people))
      await page.evaluate('ready')
      return page
    },
    async close() {
      await browser.close()
      await meeting.close()
      for (const folder of folders) rmSync(folder, { recursive: true, force: true })
    },
  }
}

export const factsIn = (folder: string) => readManifest(folder).facts
export const tracksIn = (folder: string) => tracksOf({ facts: factsIn(folder) })
export const filesOf = (folder: string, track: Track | undefined) => (track?.segments ?? []).map(({ file }) => path.join(folder, file))
export const isNear = (rgb: readonly number[], colour: readonly number[]) =>
  rgb.every((value, index) => Math.abs(value - (colour[index] ?? 0)) < 30)
export const shows = (seen: readonly Picture[], colour: readonly number[]) => seen.filter(({ rgb }) => isNear(rgb, colour)).length
