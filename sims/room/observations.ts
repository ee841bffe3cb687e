/// <reference lib="dom" />
// Audio and video that a person in the room receives, measured in the page: the colour of each tile, and the tone of each voice.
import type { Page } from 'playwright-core'

export type Sight = {
  readonly name: string
  readonly kind: 'camera' | 'screen'
  /** Null if the tile shows no video. */
  readonly colour: readonly [red: number, green: number, blue: number] | null
}

export type Voice = {
  readonly name: string
  /** Loudness, 0 to 1. */
  readonly rms: number
  /** The strongest frequency. */
  readonly hz: number
  /** Amplitude at each requested frequency. */
  readonly at: Readonly<Record<string, number>>
}

export function sightsOf(page: Page): Promise<Sight[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll<HTMLElement>('[data-testid="tile"]')].map((tile) => {
      const name = tile.dataset.name ?? ''
      const kind = tile.dataset.kind === 'screen' ? ('screen' as const) : ('camera' as const)
      const video = tile.querySelector('video')
      const context = new OffscreenCanvas(1, 1).getContext('2d')
      if (!video?.videoWidth || getComputedStyle(video).visibility === 'hidden' || !context) return { name, kind, colour: null }
      // The upper left corner contains neither the name nor the mark.
      context.drawImage(
        video,
        video.videoWidth * 0.05,
        video.videoHeight * 0.05,
        video.videoWidth * 0.1,
        video.videoHeight * 0.1,
        0,
        0,
        1,
        1,
      )
      const [red = 0, green = 0, blue = 0] = context.getImageData(0, 0, 1, 1).data
      return { name, kind, colour: [red, green, blue] as const }
    }),
  )
}

type Ear = { readonly analyser: AnalyserNode; readonly track: MediaStreamTrack }
type Listening = {
  readonly emissaryRoom: {
    readonly people: readonly { readonly id: string; readonly name: string }[]
    readonly tracks: readonly { readonly person: string; readonly kind: string; readonly track: MediaStreamTrack }[]
  }
  ears?: { readonly context: AudioContext; readonly byTrack: Map<string, Ear> }
}

/** The first call per voice starts to listen. Results include its audio from about 200 ms later. */
export function voicesOf(page: Page, frequencies: readonly number[]): Promise<Voice[]> {
  return page.evaluate((asked) => {
    const { emissaryRoom, ears } = Object.assign(window, {
      ears: (window as unknown as Listening).ears ?? { context: new AudioContext(), byTrack: new Map<string, Ear>() },
    }) as unknown as Required<Listening>

    function listenTo(track: MediaStreamTrack): AnalyserNode {
      const known = ears.byTrack.get(track.id)
      if (known) return known.analyser
      const analyser = new AnalyserNode(ears.context, { fftSize: 8192, smoothingTimeConstant: 0 })
      ears.context.createMediaStreamSource(new MediaStream([track])).connect(analyser)
      ears.byTrack.set(track.id, { analyser, track })
      return analyser
    }

    function amplitudeAt(hz: number, samples: Float32Array): number {
      let [real, imaginary] = [0, 0]
      for (const [index, sample] of samples.entries()) {
        const angle = (2 * Math.PI * hz * index) / ears.context.sampleRate
        real += sample * Math.cos(angle)
        imaginary += sample * Math.sin(angle)
      }
      return (2 * Math.hypot(real, imaginary)) / samples.length
    }

    return emissaryRoom.tracks
      .filter((it) => it.kind === 'microphone')
      .map(({ person, track }) => {
        const analyser = listenTo(track)
        const samples = new Float32Array(analyser.fftSize)
        analyser.getFloatTimeDomainData(samples)
        const spectrum = new Float32Array(analyser.frequencyBinCount)
        analyser.getFloatFrequencyData(spectrum)
        const strongest = spectrum.indexOf(Math.max(...spectrum))
        return {
          name: emissaryRoom.people.find((it) => it.id === person)?.name ?? person,
          rms: Math.sqrt(samples.reduce((sum, it) => sum + it * it, 0) / samples.length),
          hz: Math.max(0, strongest) * (ears.context.sampleRate / analyser.fftSize),
          at: Object.fromEntries(asked.map((hz) => [hz, amplitudeAt(hz, samples)])),
        }
      })
  }, frequencies)
}
