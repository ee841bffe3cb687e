// The transcription providers: when each works, and which key it needs.

type ProviderRow = {
  /** `after`: from the recording. `live`: while the meeting runs. */
  readonly works: 'after' | 'live'
  /** The vendor whose key the server must have; null where none is needed. */
  readonly vendor: Vendor | null
}

export const VENDORS = ['deepgram', 'assemblyai', 'openai', 'elevenlabs', 'sarvam', 'jigsawstack'] as const
export type Vendor = (typeof VENDORS)[number]

// biome-ignore format: a table reads best with one row a line
export const SPEECH_PROVIDERS = {
  native:                { works: 'after', vendor: null },
  deepgram:              { works: 'after', vendor: 'deepgram' },
  assemblyai:            { works: 'after', vendor: 'assemblyai' },
  openai:                { works: 'after', vendor: 'openai' },
  elevenlabs:            { works: 'after', vendor: 'elevenlabs' },
  sarvam:                { works: 'after', vendor: 'sarvam' },
  jigsawstack:           { works: 'after', vendor: 'jigsawstack' },
  native_streaming:      { works: 'live',  vendor: null },
  deepgram_streaming:    { works: 'live',  vendor: 'deepgram' },
  assemblyai_streaming:  { works: 'live',  vendor: 'assemblyai' },
  jigsawstack_streaming: { works: 'live',  vendor: 'jigsawstack' },
  meeting_captions:      { works: 'live',  vendor: null },
} as const satisfies Record<string, ProviderRow>

export function isVendor(name: string): name is Vendor {
  return VENDORS.some((vendor) => vendor === name)
}

/** The server's settings for speech vendors. */
export type SpeechSettings = {
  readonly keys: Readonly<Partial<Record<Vendor, string>>>
  /** For a proxy, a region, or an own server with a vendor's interface. */
  readonly baseUrls?: Readonly<Partial<Record<ProviderName, string>>>
}

/** Where local recognition finds its weights. */
export type NativeSettings = {
  /** The folder into which `emissary models install` puts them. */
  readonly modelsFolder: string
  /** The operator's own model instead: a folder with a `model.json`. */
  readonly ownModel?: string | undefined
}

export type ProviderName = keyof typeof SPEECH_PROVIDERS

export function isProvider(name: string): name is ProviderName {
  return Object.hasOwn(SPEECH_PROVIDERS, name)
}

/** The provider for live transcription: the live form of the named one, or local recognition. Null: none. */
export function liveProviderOf(name: ProviderName, isWanted: boolean): ProviderName | null {
  if (worksLive(name)) return name
  const live = `${name}_streaming`
  return isWanted ? (isProvider(live) ? live : 'native_streaming') : null
}

/** The vendor whose key a provider needs; null: none. */
export function vendorOf(name: ProviderName | null): Vendor | null {
  return name === null ? null : SPEECH_PROVIDERS[name].vendor
}

export function worksLive(name: ProviderName): boolean {
  return SPEECH_PROVIDERS[name].works === 'live'
}
