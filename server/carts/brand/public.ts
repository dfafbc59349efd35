// What other rooms use.

export { listStoreLogos, viewBrand } from './brand.ts'
export { brandOfStore } from './fragments.ts'
export { findMissingImages } from './images.ts'
export { proposeLogoJob } from './jobs.ts'
export { proposeLogo } from './proposals.ts'
export { brandRoutes } from './routes.ts'
export { buildAssetsUrl, type StoredBrand, toBrandKit } from './rules.ts'
export { loadShopBrand } from './shop-brand.ts'
