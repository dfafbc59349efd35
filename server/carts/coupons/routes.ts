import * as api from '../../../shared/carts/coupons.ts'
import { type Routes, serveStore } from '../../access/http/public.ts'
import { createCoupon, deleteCoupon, updateCoupon } from './coupons.ts'
import { listCoupons, viewCoupon } from './list.ts'
import { presentStep } from './present.ts'

export const couponRoutes: Routes = (app, deps) => {
  serveStore(app, deps, api.listCoupons, ({ store, query }) => listCoupons(deps, store, query))

  serveStore(app, deps, api.createCoupon, async ({ store, body }) => ({
    coupon: await viewCoupon(store, await createCoupon(deps, store, body)),
  }))

  serveStore(app, deps, api.updateCoupon, async ({ store, params, body }) => {
    await updateCoupon(deps, store, params.id, body)
    return { coupon: await viewCoupon(store, params.id) }
  })

  serveStore(app, deps, api.deleteCoupon, async ({ store, params }) => ({
    success: true as const,
    steps: (await deleteCoupon(deps, store, params.id)).map(presentStep),
  }))
}
