import { z } from 'zod'

/**
 * Who may call an endpoint. `public`: no sign-in; `session`: any signed-in user; `operator`: operators of the server
 * (decision 90), in any role. `shared/access/roles.ts` has the other permissions.
 */
export type Permission =
  | 'public'
  | 'session'
  | 'operator'
  | 'carts:read'
  | 'carts:write'
  | 'coupons:write'
  | 'flows:read'
  | 'flows:write'
  | 'flows:switch'
  | 'stores:read'
  | 'stores:connect'
  | 'stores:sync'
  | 'sending:pause'
  | 'billing:read'
  | 'billing:write'
  | 'team:write'
  | 'account:export'
  | 'suppressions:write'
  | 'privacy:write'
  | 'consent:write'
  | 'account:delete'

/** `store`: the call is about one store, chosen by decision 7; `account`: about the account; `none`: neither. */
export type Scope = 'none' | 'account' | 'store'

/** The contract of an endpoint, used by the server, the browser and the API documentation. */
export interface Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Reply extends z.ZodType = z.ZodType,
> {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  path: `/${string}`
  permission: Permission
  scope: Scope
  summary: string
  /** For scope `store`: the error message if the account has no connected store. */
  noStore?: string | undefined
  /** Only stops something or reads, so it is allowed for a disconnected store. */
  stops?: boolean | undefined
  /** A page of the app has the same path: the endpoint answers unless the client prefers HTML (decision 129). */
  isBesidePage?: boolean | undefined
  /** Returns a file of this type instead of JSON. */
  fileType?: string | undefined
  params: Params
  query: Query
  body: Body
  reply: Reply
}

const none = z.object({})

/** Any call may name its platform and store (B 1, decision 7). */
export const storeQuery = z.object({
  platform: z.string().max(40).optional(),
  storeId: z.string().max(2_048).optional(),
})

/** An encrypted ticket authorizes the download. */
export const DownloadQuery = z.object({ ticket: z.string().max(8_000).default('') })

export function endpoint<
  Reply extends z.ZodType,
  Params extends z.ZodType = typeof none,
  Query extends z.ZodType = typeof none,
  Body extends z.ZodType = typeof none,
>(spec: {
  method: Endpoint['method']
  path: Endpoint['path']
  permission: Permission
  scope?: Scope
  summary: string
  /** For scope `store`: the error message if the account has no connected store. */
  noStore?: string | undefined
  stops?: boolean | undefined
  isBesidePage?: boolean | undefined
  fileType?: string | undefined
  reply: Reply
  params?: Params
  query?: Query
  body?: Body
}): Endpoint<Params, Query, Body, Reply> {
  return { scope: 'none', params: none, query: none, body: none, ...spec } as unknown as Endpoint<
    Params,
    Query,
    Body,
    Reply
  >
}
