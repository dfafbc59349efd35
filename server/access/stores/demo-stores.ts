import type { DemoParts } from '../../deps.ts'

/** Addresses of the demo stores on this machine. */
export function listDemoStoreUrls(demo: DemoParts | null): string[] {
  if (!demo) return []
  return demo.shopify ? [demo.storeUrl, demo.shopify.storeUrl] : [demo.storeUrl]
}
