import { StoreProblem } from '../platform/store-problem.ts'
import { isRecord, plainText } from '../platform/text.ts'
import type { WooHttp } from './http.ts'

// Reads a store's version and type of checkout page.

export type CheckoutPage = 'block' | 'classic' | 'unknown'

export interface SystemStatus {
  /** '' when unknown. */
  version: string
  checkout: CheckoutPage
}

/**
 * Version and type of checkout from the status report. The report examines the whole server and fails on some otherwise
 * working hosts, so a store without it is accepted with the oldest features.
 */
export async function readSystem(http: WooHttp, signal?: AbortSignal): Promise<SystemStatus> {
  try {
    const query = [['_fields', 'environment.version,pages']] as const
    const { body } = await http.send({ path: '/system_status', query, signal })
    if (!isRecord(body)) return UNKNOWN
    const version = isRecord(body.environment) ? plainText(body.environment.version, 40) : null
    return { version: version ?? '', checkout: checkoutPage(body.pages) }
  } catch (error) {
    if (error instanceof StoreProblem && (error.code === 'store_error' || error.code === 'bad_answer')) return UNKNOWN
    throw error
  }
}

const UNKNOWN: SystemStatus = { version: '', checkout: 'unknown' }

/** Page names are translated; the block or shortcode of a page is not. */
function checkoutPage(pages: unknown): CheckoutPage {
  const page = Array.isArray(pages)
    ? pages.filter(isRecord).find((one) => one.block === 'woocommerce/checkout')
    : undefined
  if (!page) return 'unknown'
  if (page.block_present === true) return 'block'
  return page.shortcode_present === true ? 'classic' : 'unknown'
}
