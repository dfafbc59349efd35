import { crc32, deflateSync } from 'node:zlib'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import { detectFormat, readPicture, uploadFormats } from './pictures.ts'

// Refusals of hostile files, and the content of accepted files.

/** `create` needs no decoder, so the four formats to which our code restricts the library do not matter. */
const drawPicture = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 4, background: { r: 200, g: 30, b: 60, alpha: 0.5 } } })
const png = (width = 320, height = 120) => drawPicture(width, height).png().toBuffer()
const jpeg = (width = 320, height = 120) => drawPicture(width, height).flatten().jpeg().toBuffer()

const read = (bytes: Buffer) => readPicture(bytes, uploadFormats)
const readRefusal = (bytes: Buffer) =>
  read(bytes).then(
    () => 'accepted',
    (error: Error & { code?: string }) => `${error.code}: ${error.message}`,
  )

/** A PNG that claims this size, without content. */
function buildClaimedPng(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer) => {
    const body = Buffer.concat([Buffer.from(type), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 6, 0, 0, 0], 8)
  const magic = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([
    magic,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.alloc(100_000))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

test('a PNG, a JPEG and a GIF are accepted, and a GIF becomes a PNG of its first frame', async () => {
  expect(await read(await png())).toMatchObject({ type: 'png', width: 320, height: 120 })
  expect(await read(await jpeg())).toMatchObject({ type: 'jpeg', width: 320, height: 120 })
  const frames = await Promise.all(
    [drawPicture(40, 20), drawPicture(40, 20).negate()].map((one) => one.raw().toBuffer()),
  )
  const strip = sharp(Buffer.concat(frames), { raw: { width: 40, height: 40, channels: 4, pageHeight: 20 } })
  const gif = await read(await strip.gif({ loop: 0, delay: [100, 100] }).toBuffer())
  expect(gif).toMatchObject({ type: 'png', width: 40, height: 20 })
  expect(detectFormat(gif.content)).toBe('png')
})

test('a large picture is scaled down for mails and keeps its aspect ratio', async () => {
  expect(await read(await png(2_000, 500))).toMatchObject({ width: 800, height: 200 })
  expect(await read(await jpeg(500, 2_000))).toMatchObject({ width: 100, height: 400 })
})

test('metadata of a picture is dropped', async () => {
  const payload = '<script>alert(1)</script>'
  const trailing = Buffer.concat([await png(), Buffer.from(payload)])
  const jpegWithExif = await drawPicture(320, 120)
    .flatten()
    .jpeg()
    .withExif({ IFD0: { ImageDescription: payload } })
    .toBuffer()
  expect(jpegWithExif.includes(payload)).toBe(true)
  for (const file of [trailing, jpegWithExif]) {
    const { content } = await read(file)
    expect(content.includes('script')).toBe(false)
    expect(detectFormat(content)).not.toBeNull()
  }
})

test('a file in another format is refused, even if its type claims an accepted one', async () => {
  const svg =
    '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="99" height="99"><script>1</script></svg>'
  expect(await readRefusal(Buffer.from(svg))).toBe(
    'unprocessable: Mail programs do not show SVG pictures. Choose a PNG, JPEG or GIF file.',
  )
  const webp = Buffer.from('UklGRiIAAABXRUJQVlA4TAYAAAAvQWxvAGs=', 'base64')
  for (const bytes of [Buffer.alloc(0), Buffer.from('%PDF-1.7'), Buffer.from('<html>'), webp, Buffer.from('BM1234')]) {
    expect(await readRefusal(bytes)).toBe('unprocessable: This is not a PNG, JPEG or GIF file.')
  }
  const svgWithGifHeader = Buffer.concat([Buffer.from('GIF89a'), Buffer.from(svg)])
  expect(await readRefusal(svgWithGifHeader)).toMatch(/^unprocessable: This picture (could not be read|is too large)/)
})

test('a picture that would decode to gigabytes is refused before it is decoded', async () => {
  const sentence = 'unprocessable: This picture is too large. Choose one of at most 4000 × 4000 pixels.'
  expect(await readRefusal(buildClaimedPng(60_000, 60_000))).toBe(sentence)
  expect(await readRefusal(buildClaimedPng(4_001, 100))).toBe(sentence)
  expect(await readRefusal(await png(8, 8))).toBe(
    'unprocessable: This picture is 8 × 8 pixels. Choose one of at least 16 × 16.',
  )
})

test('a truncated file is refused', async () => {
  const damaged = 'unprocessable: This picture could not be read. The file may be damaged.'
  const noise = sharp({
    create: {
      width: 300,
      height: 300,
      channels: 3,
      background: '#fff',
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
  for (const whole of [await noise.clone().png().toBuffer(), await noise.clone().jpeg().toBuffer()]) {
    expect(await readRefusal(whole.subarray(0, Math.floor(whole.length / 2)))).toBe(damaged)
    expect(await readRefusal(whole.subarray(0, 20))).toBe(damaged)
  }
  expect(await readRefusal(buildClaimedPng(300, 300))).toBe(damaged)
})

/** A valid grayscale progressive JPEG with one bit per scan, 31 bytes per scan. */
async function buildScans(count: number): Promise<Buffer> {
  const create = { width: 400, height: 400, channels: 3, background: '#7a7a7a' } as const
  const whole = await sharp({ create }).toColourspace('b-w').jpeg({ progressive: true }).toBuffer()
  const segments: Buffer[] = []
  for (let at = 2; whole[at + 1] !== 0xd9; at += segments.at(-1)!.length) {
    let end = at + 2 + whole.readUInt16BE(at + 2)
    const isScan = whole[at + 1] === 0xda
    while (isScan && !(whole[end] === 0xff && whole[end + 1] !== 0)) end += 1
    segments.push(whole.subarray(at, end))
  }
  const first = segments.findIndex((each) => each[1] === 0xda)
  const scan = segments.findIndex((each, index) => index > first && each[1] === 0xda)
  const scans = Array.from({ length: count - 1 }, (_, index) => {
    const [coefficient, bit] = [1 + Math.floor(index / 14), 13 - (index % 14)]
    const picture = Buffer.from(segments[scan]!)
    picture.set([coefficient, coefficient, bit === 13 ? bit : ((bit + 1) << 4) | bit], 7)
    return picture
  })
  const end = Buffer.from('ffd9', 'hex')
  return Buffer.concat([whole.subarray(0, 2), ...segments.slice(0, first + 1), segments[scan - 1]!, ...scans, end])
}

test('a JPEG with far more scans than usual is refused', async () => {
  expect(await read(await buildScans(20))).toMatchObject({ type: 'jpeg', width: 400, height: 400 })
  expect(await read(await drawPicture(400, 400).flatten().jpeg({ progressive: true }).toBuffer())).toMatchObject({
    width: 400,
  })
  const file = await buildScans(800)
  expect(file.length).toBeLessThan(300_000)
  expect(await readRefusal(file)).toBe('unprocessable: This picture could not be read. The file may be damaged.')
})

test('only the first frame of an animation with thousands of frames is decoded', async () => {
  const frames = await Promise.all(
    [drawPicture(40, 20), drawPicture(40, 20).negate()].map((one) => one.raw().toBuffer()),
  )
  const strip = sharp(Buffer.concat(frames), { raw: { width: 40, height: 40, channels: 4, pageHeight: 20 } })
  const gif = await strip.gif({ loop: 0, delay: [100, 100] }).toBuffer()
  const last = gif.subarray(gif.lastIndexOf(Buffer.from('21f904', 'hex')), gif.length - 1)
  // All frames decoded would exceed the pixel limit of one picture.
  const many = Buffer.concat([gif.subarray(0, -1), ...Array(25_000).fill(last), gif.subarray(-1)])
  expect(await read(many)).toMatchObject({ type: 'png', width: 40, height: 20 })
})
