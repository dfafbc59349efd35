import { z } from 'zod'
import * as api from '../../../shared/workspace/brand-calls.ts'
import { listMailImages, uploadMailImage } from '../../../shared/workspace/mail-images.ts'
import { type Routes, type StoreCall, serveStore } from '../../access/http/public.ts'
import { AppError } from '../../core/common/public.ts'
import { confirmLogo, dismissLogo, readStoredPicture, removeLogo, saveBrand, uploadLogo, viewBrand } from './brand.ts'
import { readImages, storeImage } from './images.ts'
import { findLogo } from './proposals.ts'

// The brand kit of a store, and the logos and pictures in its mails.

const LogoParams = z.object({
  storeId: z.uuid(),
  file: z.string().regex(/^[0-9a-f]{64}\.(?:png|jpg)$/),
})

export const brandRoutes: Routes = (app, deps) => {
  const view = ({ store, account }: StoreCall<unknown, unknown, unknown>) => viewBrand(store, account)

  serveStore(app, deps, api.readBrand, view)

  serveStore(app, deps, api.saveBrand, async (call) => {
    const { version, ...look } = call.body
    await saveBrand(deps, call.store, { look, version })
    return view(call)
  })

  serveStore(app, deps, api.uploadLogo, async (call) => {
    await uploadLogo(deps, call.store, call.account, Buffer.from(call.body.content, 'base64'))
    return view(call)
  })

  serveStore(app, deps, api.removeLogo, async (call) => {
    await removeLogo(deps, call.store)
    return view(call)
  })

  serveStore(app, deps, api.findLogo, async (call) => {
    const outcome = await findLogo(deps, call.store, call.account.accountId)
    return { ...(await view(call)), outcome }
  })

  serveStore(app, deps, api.confirmLogo, async (call) => {
    await confirmLogo(deps, call.store, call.body.hash)
    return view(call)
  })

  serveStore(app, deps, api.dismissLogo, async (call) => {
    await dismissLogo(call.store)
    return view(call)
  })

  serveStore(app, deps, uploadMailImage, ({ store, account, body }) =>
    storeImage(deps, { store, account }, Buffer.from(body.content, 'base64')),
  )

  serveStore(app, deps, listMailImages, async ({ store }) => ({ images: await readImages(store) }))

  // Public, for readers of a mail. The content of a URL never changes.
  app.get('/brand/:storeId/:file', async (request, reply) => {
    const params = LogoParams.safeParse(request.params)
    const [hash, ending] = params.success ? params.data.file.split('.') : []
    const logo = params.success
      ? await readStoredPicture({ storeId: params.data.storeId, db: deps.db }, hash!)
      : undefined
    if (!logo || (logo.type === 'png' ? 'png' : 'jpg') !== ending) throw new AppError('not_found', 'Not found')
    return reply
      .type(logo.type === 'png' ? 'image/png' : 'image/jpeg')
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cross-origin-resource-policy', 'cross-origin')
      .send(logo.content)
  })
}
