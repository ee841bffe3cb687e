// The part of sherpa-onnx-node that is used here; the package brings no types of its own.
declare module 'sherpa-onnx-node' {
  export type OfflineStream = { acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void }

  export class OfflineRecognizer {
    static createAsync(config: object): Promise<OfflineRecognizer>
    createStream(): OfflineStream
    /** What it resolves with is parsed JSON. */
    decodeAsync(stream: OfflineStream): Promise<unknown>
  }
}
