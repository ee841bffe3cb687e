/// <reference lib="dom" />
// What a page can see of the browser in which it runs. The page of `emissary doctor --browser` sends it to this machine.

/** Texts by the name of a fact. */
type Facts = Record<string, string>
type Table = Readonly<Record<string, () => unknown>>

const PERMISSIONS = [
  ...['camera', 'microphone', 'notifications', 'geolocation', 'midi', 'persistent-storage', 'clipboard-read'],
  // The socket of the recording needs the permission for this machine. Its name depends on the version of Chromium.
  ...['local-network-access', 'local-network', 'loopback-network'],
]
const QUERIES = [
  'hover',
  'any-hover',
  'pointer',
  'any-pointer',
  'prefers-color-scheme',
  'prefers-reduced-motion',
  'color-gamut',
  'display-mode',
]
const WORKER =
  'postMessage([navigator.userAgent, navigator.languages, navigator.webdriver, Object.getOwnPropertyNames(self).sort().join()])'
const SENT_WITHIN_MS = 5_000

export async function sendView(): Promise<void> {
  const facts: Facts = {}
  for (const [name, read] of Object.entries({ ...BROWSER, ...WINDOW, ...GRAPHICS })) facts[name] = await textOf(read)
  for (const name of PERMISSIONS) facts[`permission ${name}`] = await textOf(() => permissionOf(name))
  for (const query of QUERIES) facts[`media ${query}`] = matching(query)
  for (const [name, object] of Object.entries({ window, navigator, document, mediaDevices: navigator.mediaDevices }))
    facts[`names in ${name}`] = namesIn(object)
  facts['names in frame'] = await textOf(namesInFrame)
  Object.assign(facts, unusualFunctions())
  await fetch('/view', { method: 'POST', body: JSON.stringify(facts) })
}

/** An error is a fact, too, and so is a value that does not come. */
async function textOf(read: () => unknown): Promise<string> {
  const late = new Promise((resolve) => setTimeout(() => resolve('no answer'), SENT_WITHIN_MS))
  try {
    const value = await Promise.race([read(), late])
    return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'undefined')
  } catch (error) {
    return error instanceof Error ? error.name : 'error'
  }
}

const BROWSER: Table = {
  webdriver: () => navigator.webdriver,
  'user agent': () => navigator.userAgent,
  platform: () => navigator.platform,
  languages: () => navigator.languages,
  locale: () => Intl.DateTimeFormat().resolvedOptions(),
  plugins: () => [...navigator.plugins].map(({ name }) => name),
  'PDF viewer': () => navigator.pdfViewerEnabled,
  cores: () => navigator.hardwareConcurrency,
  'touch points': () => navigator.maxTouchPoints,
  cookies: () => navigator.cookieEnabled,
  brands: () => hintsOf(navigator),
  chrome: () => Object.keys(Object(Reflect.get(window, 'chrome'))),
  voices: () => window.speechSynthesis?.getVoices().length,
  'Notification.permission': () => Notification.permission,
  devices: async () => (await navigator.mediaDevices.enumerateDevices()).map(({ kind, label }) => `${kind} ${label}`),
  codecs: () => ['audio', 'video'].flatMap((kind) => RTCRtpReceiver.getCapabilities(kind)?.codecs.map(({ mimeType }) => mimeType)),
  'third-party storage': () => document.hasStorageAccess(),
  'sound without a click': () => new AudioContext().state,
  worker: inWorker,
  'errors are read by a debugger': isDebugged,
}

const WINDOW: Table = {
  screen: () => [screen.width, screen.height, screen.availWidth, screen.availHeight, screen.colorDepth],
  'window size': () => [outerWidth, outerHeight, innerWidth, innerHeight, devicePixelRatio],
  visibility: () => document.visibilityState,
  'style sheets': () => [document.styleSheets.length, document.adoptedStyleSheets.length],
}

const GRAPHICS: Table = {
  WebGL: () => rendererOf('webgl'),
  WebGL2: () => rendererOf('webgl2'),
  WebGPU: () => 'gpu' in navigator,
  canvas: () => {
    const canvas = document.createElement('canvas')
    const pen = canvas.getContext('2d')
    pen?.fillText('Emissary 议 😀', 10, 20)
    return digest(canvas.toDataURL())
  },
}

function hintsOf(from: Navigator): unknown {
  const data = Object(Reflect.get(from, 'userAgentData'))
  return data.getHighEntropyValues?.(['architecture', 'bitness', 'fullVersionList', 'model', 'platformVersion'])
}

async function permissionOf(name: string): Promise<string> {
  return (await navigator.permissions.query({ name: name as PermissionName })).state
}

function matching(query: string): string {
  const values = ['none', 'hover', 'coarse', 'fine', 'light', 'dark', 'no-preference', 'reduce', 'srgb', 'p3', 'browser', 'standalone']
  return values.filter((value) => matchMedia(`(${query}: ${value})`).matches).join()
}

function rendererOf(kind: 'webgl' | 'webgl2'): unknown {
  const context = document.createElement('canvas').getContext(kind) as WebGLRenderingContext | null
  const info = context?.getExtension('WEBGL_debug_renderer_info')
  return context && info ? context.getParameter(info.UNMASKED_RENDERER_WEBGL) : null
}

function digest(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at++) sum = (sum * 31 + text.charCodeAt(at)) | 0
  return sum
}

function inWorker(): Promise<unknown> {
  const worker = new Worker(URL.createObjectURL(new Blob([WORKER], { type: 'text/javascript' })))
  return new Promise((resolve) => {
    worker.onmessage = ({ data }) => resolve(data)
  })
}

/** A debugger that is attached reads the stack of a logged error. */
function isDebugged(): boolean {
  let isRead = false
  const error = new Error('not an error')
  Object.defineProperty(error, 'stack', {
    get() {
      isRead = true
      return ''
    },
  })
  console.debug(error)
  return isRead
}

function namesIn(object: object): string {
  return Reflect.ownKeys(object)
    .map(String)
    .filter((name) => !/^\d+$/.test(name))
    .sort()
    .join(' ')
}

function namesInFrame(): string {
  const frame = document.createElement('iframe')
  document.body.append(frame)
  const names = frame.contentWindow ? namesIn(frame.contentWindow) : ''
  frame.remove()
  return names
}

/** Functions whose text differs from that of a browser's own function of this name. */
function unusualFunctions(): Facts {
  const found: Facts = {}
  const look = (path: string, name: string, value: unknown) => {
    if (typeof value !== 'function') return
    const text = Function.prototype.toString.call(value)
    if (text !== `function ${name}() { [native code] }`) found[`function ${path}`] = text.replaceAll(/\s+/g, ' ').slice(0, 80)
  }
  const members = (path: string, object: object) => {
    for (const [name, { value, get, set }] of Object.entries(Object.getOwnPropertyDescriptors(object))) {
      look(`${path}.${name}`, name, value)
      look(`${path}.${name}`, `get ${name}`, get)
      look(`${path}.${name} =`, `set ${name}`, set)
    }
  }
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(window))) {
    look(name, name, value)
    if (typeof value !== 'function') continue
    members(name, value)
    if (typeof value.prototype === 'object' && value.prototype !== null) members(`${name}.prototype`, value.prototype)
  }
  return found
}
