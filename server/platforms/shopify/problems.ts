import { toPlainText } from '../platform/public.ts'
import { getPath } from './fields.ts'

// Classifies Shopify's refusals. GraphQL errors have codes; earlier refusals have a status and text.

export interface UserError {
  field: string
  code: string
  message: string
}

/** The errors of a mutation. */
export function userErrors(payload: unknown): UserError[] {
  const list = getPath(payload, 'userErrors')
  return (Array.isArray(list) ? list : []).slice(0, 20).map((error) => ({
    field: (Array.isArray(getPath(error, 'field')) ? (getPath(error, 'field') as unknown[]) : [])
      .map(String)
      .join('.')
      .slice(0, 200),
    code: toPlainText(getPath(error, 'code'), 80) ?? '',
    message: toPlainText(getPath(error, 'message'), 300) ?? 'The store refused it without a reason.',
  }))
}
