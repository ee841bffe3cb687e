// The simulator's certificate, made at every start. Only a browser with its key in a flag accepts it.
import { execFile } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { promisify } from 'node:util'

export type Certificate = {
  readonly key: string
  readonly cert: string
  /** For `--ignore-certificate-errors-spki-list`. */
  readonly spki: string
}

const DAYS = '2'

export async function makeCertificate(hosts: readonly string[]): Promise<Certificate> {
  const names = hosts.map((host) => `DNS:${host}`).join(',')
  const { stdout } = await promisify(execFile)('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', DAYS],
    ...['-subj', `/CN=${hosts[0]}`, '-addext', `subjectAltName=${names}`, '-keyout', '-', '-out', '-'],
  ])
  const [key = '', cert = ''] = stdout.match(/-----BEGIN [\s\S]+?-----END [A-Z ]+-----/g) ?? []
  const publicKey = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' })
  return { key, cert, spki: createHash('sha256').update(publicKey).digest('base64') }
}
