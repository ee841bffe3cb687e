// A browser in plain requests: redirects, cookies and forms. Google's hosts lead to the simulator.
import { type IncomingMessage, request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { GoogleAccountsServer } from '../../../sims/google-accounts/server.ts'

const MOST_HOPS = 12

export type Landing = {
  readonly url: string
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
  /** Every address of the redirects, including the last. */
  readonly visited: readonly string[]
}

type RequestOptions = { readonly form?: Readonly<Record<string, string>>; readonly follow?: boolean }
type Cookie = { readonly domain: string; readonly path: string; readonly value: string }

export class WindowlessBrowser {
  /** By name, domain and path. */
  readonly cookies = new Map<string, Cookie & { readonly name: string }>()
  readonly #google: GoogleAccountsServer

  constructor(google: GoogleAccountsServer) {
    this.#google = google
  }

  async go(address: string, { form, follow = true }: RequestOptions = {}): Promise<Landing> {
    const visited: string[] = []
    let url = address
    let body = form
    for (let hop = 0; hop < MOST_HOPS; hop++) {
      visited.push(url)
      const { response, text } = await this.#ask(url, body)
      this.#keep(url, response.headers['set-cookie'] ?? [])
      const { location } = response.headers
      const status = response.statusCode ?? 0
      if (!follow || !location || status < 300 || status > 399) return { url, status, headers: response.headers, text, visited }
      url = new URL(location, url).href
      body = undefined
    }
    throw new Error(`Too many redirects: ${visited.join(' -> ')}`)
  }

  /** Submits the form on the page, as its script or its button would. */
  submit({ url, text }: Landing, change: Readonly<Record<string, string>> = {}): Promise<Landing> {
    const action = plain(/<form [^>]*action="([^"]*)"/.exec(text)?.[1] ?? '')
    return this.go(new URL(action, url).href, { form: { ...fieldsOf(text), ...change } })
  }

  #ask(address: string, form: RequestOptions['form']): Promise<{ response: IncomingMessage; text: string }> {
    const url = new URL(address)
    const body = form && new URLSearchParams({ ...form }).toString()
    const headers = {
      host: url.host,
      cookie: this.#cookiesFor(url),
      ...(body !== undefined && { 'content-type': 'application/x-www-form-urlencoded', 'content-length': Buffer.byteLength(body) }),
    }
    const isGoogle = url.hostname.endsWith('.google.com')
    const where = isGoogle
      ? { host: '127.0.0.1', port: this.#google.port, servername: url.hostname, ca: this.#google.tls.certificate }
      : { host: url.hostname, port: url.port }
    const options = {
      ...where,
      path: url.pathname + url.search,
      method: body === undefined ? 'GET' : 'POST',
      headers,
      agent: false as const,
    }
    return new Promise((resolve, reject) => {
      const sent = (isGoogle ? secureRequest : plainRequest)(options, async (response) => {
        const chunks: Buffer[] = []
        for await (const chunk of response) chunks.push(chunk)
        resolve({ response, text: Buffer.concat(chunks).toString() })
      })
      sent.on('error', reject)
      sent.end(body)
    })
  }

  #keep(address: string, given: readonly string[]): void {
    for (const line of given) {
      const [pair = '', ...rules] = line.split(/;\s*/)
      const rule = (name: string) => rules.find((it) => it.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1)
      const [name = '', value = ''] = pair.split('=')
      const domain = (rule('domain') ?? new URL(address).hostname).replace(/^\./, '')
      const path = rule('path') ?? '/'
      const key = `${name} ${domain} ${path}`
      if (rule('max-age') === '0') this.cookies.delete(key)
      else this.cookies.set(key, { name, value, domain, path })
    }
  }

  #cookiesFor({ hostname, pathname }: URL): string {
    return [...this.cookies.values()]
      .filter(({ domain, path }) => (hostname === domain || hostname.endsWith(`.${domain}`)) && pathname.startsWith(path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ')
  }
}

export function fieldsOf(page: string): Record<string, string> {
  return Object.fromEntries(
    [...page.matchAll(/<input [^>]*name="([^"]*)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, plain(value)]),
  )
}

function plain(text: string): string {
  return text.replaceAll(/&#(\d+);/g, (_, point: string) => String.fromCodePoint(Number(point)))
}
