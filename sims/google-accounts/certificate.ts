// Self-signed key pairs, made by openssl: for a simulator's TLS, and for organisations that sign in.
import { spawnSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export type Certificate = {
  readonly key: string
  readonly certificate: string
  /** In the format of Chromium's `--ignore-certificate-errors-spki-list`. */
  readonly spki: string
}

export type CertificateOptions = {
  readonly names?: readonly string[]
  readonly days?: number
  readonly kind?: 'rsa:2048' | 'rsa:1024' | 'ec'
}

export function makeCertificate({ names = ['example.com'], days = 30, kind = 'rsa:2048' }: CertificateOptions = {}): Certificate {
  const folder = mkdtempSync(join(tmpdir(), 'emissary-certificate-'))
  try {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')]
    const algorithm = kind === 'ec' ? ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'] : ['-newkey', kind]
    const subject = ['-subj', `/CN=${names[0]}`, '-addext', `subjectAltName=${names.map((name) => `DNS:${name}`).join(',')}`]
    const words = ['req', '-x509', '-nodes', ...algorithm, ...subject, '-days', String(days), '-keyout', key, '-out', certificate]
    const { status, stderr } = spawnSync('openssl', words)
    if (status !== 0) throw new Error(`openssl: ${stderr}`)
    const made = { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') }
    return { ...made, spki: spkiOf(made.certificate) }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function spkiOf(certificate: string): string {
  const { publicKey } = new X509Certificate(certificate)
  return createHash('sha256')
    .update(publicKey.export({ type: 'spki', format: 'der' }))
    .digest('base64')
}
