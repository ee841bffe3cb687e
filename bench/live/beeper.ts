/// <reference lib="dom" />
// A person who beeps and reports when the first sample entered the track. The audio thread takes the time, because mapping the page's clock to the audio clock errs by 10 ms.
import type { Page } from 'playwright-core'
import type { PageWithFakeDevices } from '../meeting/fake-devices.ts'

export type Beeper = { beep(): Promise<number> }

type BeeperInPage = { readonly benchBeep: () => Promise<number> }

/** Runs in the audio thread: a tone of 1 kHz for 100 ms. */
const PROCESSOR = `
  registerProcessor('beeper', class extends AudioWorkletProcessor {
    #sample = Infinity
    constructor() {
      super()
      this.port.onmessage = () => { this.#sample = 0 }
    }
    process(_, [[samples]]) {
      if (this.#sample === 0) this.port.postMessage(Date.now())
      for (let at = 0; at < samples.length; at++, this.#sample++)
        samples[at] = this.#sample < sampleRate / 10 ? Math.sin((2 * Math.PI * 1000 * this.#sample) / sampleRate) / 2 : 0
      return true
    }
  })`

export async function prepareBeeper(page: Page): Promise<Beeper> {
  await page.evaluate(async (processor) => {
    const { context, output } = (window as unknown as PageWithFakeDevices).benchVoice
    await context.audioWorklet.addModule(URL.createObjectURL(new Blob([processor], { type: 'text/javascript' })))
    const node = new AudioWorkletNode(context, 'beeper', { numberOfInputs: 0, outputChannelCount: [1] })
    node.connect(output)
    const benchBeep = () =>
      new Promise((resolve) => {
        node.port.onmessage = ({ data }) => resolve(data)
        node.port.postMessage('beep')
      })
    Object.assign(window, { benchBeep })
  }, PROCESSOR)
  return { beep: () => page.evaluate(() => (window as unknown as BeeperInPage).benchBeep()) }
}
