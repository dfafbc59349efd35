import type { Sharp } from 'sharp'
import { AppError } from '../../core/common/errors.ts'

// A logo as it may stand in mails: decoded within bounds, made small, and written anew, so that nothing but its pixels is left.

export type PictureFormat = 'png' | 'jpeg' | 'gif' | 'webp'

export interface Picture {
  content: Buffer
  type: 'png' | 'jpeg'
  width: number
  height: number
}

/** Of a side of the file given, in px: 64 MB unpacked at most. */
const LONGEST_SIDE = 4_000
const SHORTEST_SIDE = 16
/** A mail is 600 px wide; screens show it twice as dense. Each is tried until the file is small. */
const BOXES = [
  { width: 800, height: 400 },
  { width: 480, height: 240 },
  { width: 320, height: 160 },
]
const SMALL_BYTES = 150_000
/** For all of one picture. */
const LIMIT_MS = 10_000
/** A progressive JPEG has about ten. Each goes through the whole picture, and a few bytes are enough for one. */
const MOST_SCANS = 40

export const uploadFormats: readonly PictureFormat[] = ['png', 'jpeg', 'gif']

/** Throws an AppError in words for whoever chose the file. Of an animation it takes the first picture. */
export async function readPicture(bytes: Buffer, formats: readonly PictureFormat[]): Promise<Picture> {
  const format = formatOf(bytes)
  if (!format || !formats.includes(format)) throw unusable(wrongFormat(bytes))
  if (format === 'jpeg' && countScans(bytes) > MOST_SCANS) throw unusable(DAMAGED)
  return oneByOne(async () => {
    const open = await decoder(bytes, performance.now() + LIMIT_MS)
    const { width, height } = await sizeOf(open, format)
    if (Math.max(width, height) > LONGEST_SIDE) throw tooLarge()
    if (Math.min(width, height) < SHORTEST_SIDE) {
      throw unusable(
        `This picture is ${width} × ${height} pixels. Choose one of at least ${SHORTEST_SIDE} × ${SHORTEST_SIDE}.`,
      )
    }
    return encodeSmall(open, format === 'jpeg' ? 'jpeg' : 'png')
  })
}

const unusable = (sentence: string) => new AppError('unprocessable', sentence)

const tooLarge = () =>
  unusable(`This picture is too large. Choose one of at most ${LONGEST_SIDE} × ${LONGEST_SIDE} pixels.`)

const DAMAGED = 'This picture could not be read. The file may be damaged.'

/** By its first bytes; what a file is called says nothing. */
export function formatOf(bytes: Buffer): PictureFormat | null {
  const begins = (hex: string, at = 0) => bytes.subarray(at, at + hex.length / 2).toString('hex') === hex
  if (begins('89504e470d0a1a0a')) return 'png'
  if (begins('ffd8ff')) return 'jpeg'
  if (begins('474946383761') || begins('474946383961')) return 'gif'
  return begins('52494646') && begins('57454250', 8) ? 'webp' : null
}

/** Within a scan no byte of data follows FF but 00. */
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

/** Loaded with the first logo: most processes never see one. Nothing but these four formats is ever decoded. */
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

/** `until`: by `performance.now()`. */
async function decoder(bytes: Buffer, until: number): Promise<Open> {
  const sharp = await library().catch((error: unknown) => {
    throw new AppError('unavailable', 'This server cannot read pictures: the package sharp does not run on it.', {
      cause: error,
    })
  })
  const bounds = { limitInputPixels: LONGEST_SIDE * LONGEST_SIDE, failOn: 'error', pages: 1 } as const
  return () => sharp(bytes, bounds).timeout({ seconds: Math.max(1, Math.ceil((until - performance.now()) / 1_000)) })
}

async function sizeOf(open: Open, format: PictureFormat): Promise<{ width: number; height: number }> {
  const read = await open()
    .metadata()
    .catch((error: Error) => {
      throw /pixel limit/i.test(error.message) ? tooLarge() : new AppError('unprocessable', DAMAGED, { cause: error })
    })
  if (read.format !== format) throw unusable(DAMAGED)
  return { width: read.width, height: read.height }
}

/** The colors become sRGB; orientation is applied; everything else the file said is gone. */
async function encodeSmall(open: Open, type: Picture['type']): Promise<Picture> {
  let made: Picture | null = null
  for (const box of BOXES) {
    const shrunk = open()
      .autoOrient()
      .resize({ ...box, fit: 'inside', withoutEnlargement: true })
    const written = type === 'jpeg' ? shrunk.jpeg({ quality: 86 }) : shrunk.png({ compressionLevel: 9 })
    const { data, info } = await written.toBuffer({ resolveWithObject: true }).catch((error: Error) => {
      throw new AppError('unprocessable', DAMAGED, { cause: error })
    })
    made = { content: data, type, width: info.width, height: info.height }
    if (data.length <= SMALL_BYTES) break
  }
  return made!
}

/** One at a time, so that no more than one is unpacked in memory. */
const oneByOne = (() => {
  let last: Promise<unknown> = Promise.resolve()
  return <T>(work: () => Promise<T>): Promise<T> => {
    const turn = last.then(work)
    last = turn.catch(() => undefined)
    return turn
  }
})()
