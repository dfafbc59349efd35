import { createPublicKey, hash, verify } from 'node:crypto'
import fs from 'node:fs/promises'
import { z } from 'zod'

// The publisher's signatures of the built plugin zip, made with offline keys (scripts/sign-plugin.ts). Recoup only
// passes them on. After a key change there are several, for shops that know the old key.

export const MAX_SIGNATURES = 8

const SignedZip = z.object({
  version: z.string().max(40),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  signatures: z.array(z.string().max(200)).min(1).max(MAX_SIGNATURES),
})
export type SignedZip = z.output<typeof SignedZip>

/** Beside the built zip. */
export const getSignatureFile = (zip: string): string => zip.replace(/\.zip$/, '.signed.json')

/** Includes the version, so that an older signed zip is not an update. */
export const buildSignedText = (version: string, sha256: string): string => `recoup-plugin\n${version}\n${sha256}`

/** null: no signatures, or they are for another zip. */
export async function readSignatures(file: string, zip: Buffer): Promise<SignedZip | null> {
  const text = await fs.readFile(file, 'utf8').catch(() => '')
  const { data } = SignedZip.safeParse(parse(text))
  return data && data.sha256 === hash('sha256', zip) ? data : null
}

/** Header of an Ed25519 public key in DER; 32 bytes follow. */
const DER_HEAD = Buffer.from('302a300506032b6570032100', 'hex')

/** As the plugin verifies it (src/Publisher.php). The key is 32 bytes in base64. */
export function isSignedWith(key: string, { version, sha256, signatures }: SignedZip): boolean {
  const bytes = Buffer.from(key.trim(), 'base64')
  if (bytes.length !== 32) return false
  const publicKey = createPublicKey({ key: Buffer.concat([DER_HEAD, bytes]), format: 'der', type: 'spki' })
  const text = Buffer.from(buildSignedText(version, sha256))
  return signatures.some((signature) => verify(null, text, publicKey, Buffer.from(signature, 'base64')))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
