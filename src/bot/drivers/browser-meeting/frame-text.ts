// The text of frames within a page. A platform may show a block page in a frame of another site.
import { setTimeout as delay } from 'node:timers/promises'
import type { Frame } from 'playwright-core'
import { withElement } from './with-element.ts'

/** Smaller frames are badges and counters. */
const LEAST = { width: 120, height: 40 }
const READ_WITHIN_MS = 1_000

/** The text of visible frames, and of those within them. A frame that does not answer has none. */
export async function frameText(frame: Frame): Promise<string> {
  const texts = await Promise.all(frame.childFrames().map(textOf))
  return texts.filter((text) => text !== '').join('\n')
}

async function textOf(frame: Frame): Promise<string> {
  const text = readText(frame).catch(() => '')
  return Promise.race([text, delay(READ_WITHIN_MS, '', { ref: false })])
}

async function readText(frame: Frame): Promise<string> {
  const box = await withElement(await frame.frameElement(), async (it) => ((await it.isVisible()) ? it.boundingBox() : null))
  if (!box || box.width < LEAST.width || box.height < LEAST.height) return ''
  const own = String(await frame.evaluate('document.body?.innerText ?? ""'))
  return [own, await frameText(frame)].filter((text) => text !== '').join('\n')
}
