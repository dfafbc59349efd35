import { z } from 'zod'
import { endpoint, storeQuery } from '../core/endpoint.ts'

// Pictures in a store's emails: upload and list. An image block names the `asset`.

export const imageTexts = {
  tooLarge: 'This file is larger than 700 KB. Choose a smaller one.',
  demo: 'Pictures cannot be uploaded in the demo. Register to upload yours.',
  full: 'This store’s emails have 200 pictures, which is the limit. Remove some: they are deleted 90 days later.',
} as const

/** Of an upload. */
export const IMAGE_BYTES = 700 * 1024

const MailImage = z.object({
  /** The file's name: `/brand/{store id}/{asset}` is its address. */
  asset: z.string(),
  width: z.number(),
  height: z.number(),
})

const path = '/api/stores/mail-images' as const

export const uploadMailImage = endpoint({
  method: 'POST',
  path,
  permission: 'flows:switch',
  scope: 'store',
  query: storeQuery,
  summary: 'Store a PNG, JPEG or GIF of at most 700 KB for the store’s emails',
  body: z.object({
    /** The file in Base64. */
    content: z
      .base64('This is not a file in Base64.')
      .min(1, 'Choose a file.')
      .max(Math.ceil(IMAGE_BYTES / 3) * 4, imageTexts.tooLarge),
  }),
  reply: MailImage,
})

export const listMailImages = endpoint({
  method: 'GET',
  path,
  permission: 'stores:read',
  scope: 'store',
  query: storeQuery,
  summary: 'The pictures of the store’s emails, newest first',
  reply: z.object({ images: z.array(MailImage) }),
})
