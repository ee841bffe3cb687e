// Types of the used part of sherpa-onnx-node, which has no types.
declare module 'sherpa-onnx-node' {
  export type OfflineStream = { acceptWaveform(wave: { samples: Float32Array; sampleRate: number }): void }

  export class OfflineRecognizer {
    static createAsync(config: object): Promise<OfflineRecognizer>
    createStream(): OfflineStream
    /** Resolves with parsed JSON. */
    decodeAsync(stream: OfflineStream): Promise<unknown>
  }
}
