import type { Sharp } from 'sharp'
import { AppError } from '../../core/common/public.ts'

// Prepares a picture for mails: decodes it within limits, scales it down and encodes it again, so that only its pixels
// are kept.

export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp'

export interface Picture {
  content: Buffer
  type: 'png' | 'jpeg'
  width: number
  height: number
}

/** Limit for a side of the source file, in px: at most 64 MB decoded. */
const MAX_SIDE = 4_000
const MIN_SIDE = 16
/** The sizes are tried until the file is small enough. */
interface PictureSizes {
  boxes: readonly { width: number; height: number }[]
  smallBytes: number
  /** A file above this is refused. */
  maxBytes?: number
}
/** A mail is 600 px wide, and screens have up to twice the density. */
const LOGO: PictureSizes = {
  boxes: [
    { width: 800, height: 400 },
    { width: 480, height: 240 },
    { width: 320, height: 160 },
  ],
  smallBytes: 150_000,
}
export const MAIL_IMAGE: PictureSizes = {
  boxes: [
    { width: 1_200, height: 2_400 },
    { width: 900, height: 1_800 },
    { width: 600, height: 1_200 },
  ],
  smallBytes: 250_000,
  maxBytes: 500_000,
}
/** Time limit per picture. */
const LIMIT_MS = 10_000
/** A progressive JPEG has about ten scans. A few bytes can make one that decodes the whole picture. */
const MAX_SCANS = 40

export const uploadFormats: readonly PictureFormat[] = ['png', 'jpeg', 'gif']

/** Throws AppError with a sentence for the uploader. Of an animation it takes the first frame. */
export async function readPicture(bytes: Buffer, formats: readonly PictureFormat[], sizes = LOGO): Promise<Picture> {
  const format = detectFormat(bytes)
  if (!format || !formats.includes(format)) throw createUnusableError(wrongFormat(bytes))
  if (format === 'jpeg' && countScans(bytes) > MAX_SCANS) throw createUnusableError(DAMAGED)
  return runSerially(async () => {
    const open = await openDecoder(bytes, performance.now() + LIMIT_MS)
    const { width, height } = await readSize(open, format)
    if (Math.max(width, height) > MAX_SIDE) throw createTooLargeError()
    if (Math.min(width, height) < MIN_SIDE) {
      throw createUnusableError(
        `This picture is ${width} × ${height} pixels. Choose one of at least ${MIN_SIDE} × ${MIN_SIDE}.`,
      )
    }
    return encodeSmall(open, format === 'jpeg' ? 'jpeg' : 'png', sizes)
  })
}

const createUnusableError = (sentence: string) => new AppError('unprocessable', sentence)

const createTooLargeError = () =>
  createUnusableError(`This picture is too large. Choose one of at most ${MAX_SIDE} × ${MAX_SIDE} pixels.`)

const HEAVY = 'This picture is too large for an email. Save it as a JPEG, or choose another one.'
const DAMAGED = 'This picture could not be read. The file may be damaged.'

/** By the first bytes, because a file name proves nothing. */
export function detectFormat(bytes: Buffer): PictureFormat | null {
  const begins = (hex: string, at = 0) => bytes.subarray(at, at + hex.length / 2).toString('hex') === hex
  if (begins('89504e470d0a1a0a')) return 'png'
  if (begins('ffd8ff')) return 'jpeg'
  if (begins('474946383761') || begins('474946383961')) return 'gif'
  return begins('52494646') && begins('57454250', 8) ? 'webp' : null
}

/** Within a scan, only 00 may follow a byte FF. */
function countScans(bytes: Buffer): number {
  let scans = 0
  for (let at = bytes.indexOf(SCAN); at >= 0; at = bytes.indexOf(SCAN, at + 2)) scans += 1
  return scans
}

const SCAN = Buffer.from('ffda', 'hex')

function wrongFormat(bytes: Buffer): string {
  const isSvg = /<svg[\s>]/i.test(bytes.subarray(0, 2_000).toString('latin1'))
  return isSvg
    ? 'Mail programs do not show SVG pictures. Choose a PNG, JPEG or GIF file.'
    : 'This is not a PNG, JPEG or GIF file.'
}

type Open = () => Sharp

/** Loaded with the first logo, which most processes never see. Only these four formats are ever decoded. */
const library = (() => {
  let loaded: Promise<typeof import('sharp').default> | null = null
  const load = async () => {
    const { default: sharp } = await import('sharp')
    sharp.cache(false)
    sharp.concurrency(1)
    sharp.block({ operation: ['VipsForeignLoad'] })
    const loaders = [
      'VipsForeignLoadPngBuffer',
      'VipsForeignLoadJpegBuffer',
      'VipsForeignLoadNsgifBuffer',
      'VipsForeignLoadWebpBuffer',
    ]
    sharp.unblock({ operation: loaders })
    return sharp
  }
  return () => (loaded ??= load())
})()

/** `until`: deadline on the clock of `performance.now()`. */
async function openDecoder(bytes: Buffer, until: number): Promise<Open> {
  const sharp = await library().catch((error: unknown) => {
    throw new AppError('unavailable', 'This server cannot read pictures: the package sharp does not run on it.', {
      cause: error,
    })
  })
  const bounds = { limitInputPixels: MAX_SIDE * MAX_SIDE, failOn: 'error', pages: 1 } as const
  return () => sharp(bytes, bounds).timeout({ seconds: Math.max(1, Math.ceil((until - performance.now()) / 1_000)) })
}

async function readSize(open: Open, format: PictureFormat): Promise<{ width: number; height: number }> {
  const read = await open()
    .metadata()
    .catch((error: Error) => {
      throw /pixel limit/i.test(error.message)
        ? createTooLargeError()
        : new AppError('unprocessable', DAMAGED, { cause: error })
    })
  if (read.format !== format) throw createUnusableError(DAMAGED)
  return { width: read.width, height: read.height }
}

/** Converts colors to sRGB, applies orientation and drops all metadata. */
async function encodeSmall(open: Open, type: Picture['type'], sizes: PictureSizes): Promise<Picture> {
  const { boxes, smallBytes, maxBytes = Number.POSITIVE_INFINITY } = sizes
  let picture: Picture | null = null
  for (const box of boxes) {
    const shrunk = open()
      .autoOrient()
      .resize({ ...box, fit: 'inside', withoutEnlargement: true })
    const written = type === 'jpeg' ? shrunk.jpeg({ quality: 86 }) : shrunk.png({ compressionLevel: 9 })
    const { data, info } = await written.toBuffer({ resolveWithObject: true }).catch((error: Error) => {
      throw new AppError('unprocessable', DAMAGED, { cause: error })
    })
    picture = { content: data, type, width: info.width, height: info.height }
    if (data.length <= smallBytes) break
  }
  if (picture!.content.length > maxBytes) throw createUnusableError(HEAVY)
  return picture!
}

/** One picture at a time, so that only one is decoded in memory. */
const runSerially = (() => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const job = last.then(work)
    last = job.catch(() => undefined)
    return job
  }
})()
