// Mutations of discounts, webhook subscriptions, bulk operations and the app itself.
import { GraphQLError } from 'graphql'
import { cancelBulk, startBulk } from '../bulk.ts'
import {
  addCode,
  createDiscount,
  type DiscountInput,
  type DiscountResult,
  deleteDiscount,
  findCodeErrors,
  setDiscountActive,
  UNKNOWN_DISCOUNT,
  type UserError,
  updateDiscount,
} from '../discounts.ts'
import { find, listByOwner, remove, save, transact } from '../records.ts'
import { buildGid, parseGid, readSetup, writeSetup } from '../shop.ts'
import { createWebhook, deleteWebhook, updateWebhook, type WebhookInput } from '../webhooks.ts'
import { buildBulkSource } from './bulk-source.ts'
import type { Context, Source } from './context.ts'
import { buildCodeNodeSource, buildCodeSource, buildNodeSource } from './discounts.ts'
import { type PageArgs, paginateList } from './pages.ts'
import { buildWebhookSource } from './webhook-source.ts'

export function buildMutations(context: Context): Source {
  return { ...buildDiscountMutations(context), ...buildCodeMutations(context), ...buildAppMutations(context) }
}

function buildDiscountMutations(context: Context): Source {
  const { shop } = context
  const toPayload = (result: DiscountResult) => ({
    codeDiscountNode: 'discount' in result ? buildCodeNodeSource(context, result.discount) : null,
    userErrors: 'errors' in result ? result.errors.map(buildUserError) : [],
  })
  const each = (ids: string[] | null | undefined, work: (id: number) => unknown) => {
    if (!ids?.length) return { job: null, userErrors: [buildUserError(MISSING_IDS)] }
    for (const id of checkListSize(ids)) work(parseDiscountId(id) ?? 0)
    return { job, userErrors: [] }
  }
  return {
    discountCodeBasicCreate: ({ basicCodeDiscount }: { basicCodeDiscount: DiscountInput }) =>
      transact(shop.db, () => toPayload(createDiscount(shop, basicCodeDiscount))),
    discountCodeBasicUpdate: ({ id, basicCodeDiscount }: { id: string; basicCodeDiscount: DiscountInput }) =>
      transact(shop.db, () => toPayload(updateDiscount(shop, parseDiscountId(id) ?? 0, basicCodeDiscount))),
    discountCodeActivate: ({ id }: { id: string }) =>
      toPayload(setDiscountActive(shop, parseDiscountId(id) ?? 0, true)),
    discountCodeDeactivate: ({ id }: { id: string }) =>
      toPayload(setDiscountActive(shop, parseDiscountId(id) ?? 0, false)),
    discountCodeDelete: ({ id }: { id: string }) => {
      const isDeleted = transact(shop.db, () => deleteDiscount(shop, parseDiscountId(id) ?? 0))
      return {
        deletedCodeDiscountId: isDeleted ? id : null,
        userErrors: isDeleted ? [] : [buildUserError(UNKNOWN_DISCOUNT)],
      }
    },
    tagsAdd: ({ id, tags }: { id: string; tags: string[] }) =>
      changeTags(context, id, (existing) => [...existing, ...tags]),
    tagsRemove: ({ id, tags }: { id: string; tags: string[] }) =>
      changeTags(context, id, (existing) => existing.filter((tag) => !tags.includes(tag))),
    discountCodeBulkActivate: ({ ids }: { ids?: string[] }) => each(ids, (id) => setDiscountActive(shop, id, true)),
    discountCodeBulkDeactivate: ({ ids }: { ids?: string[] }) => each(ids, (id) => setDiscountActive(shop, id, false)),
    discountCodeBulkDelete: ({ ids }: { ids?: string[] }) => each(ids, (id) => deleteDiscount(shop, id)),
  }
}

function changeTags(context: Context, text: string, change: (existing: string[]) => string[]): Source {
  const { shop } = context
  const discount = find(shop.db, 'discount', parseDiscountId(text) ?? 0)
  if (!discount) return { node: null, userErrors: [{ field: ['id'], message: 'Discount does not exist' }] }
  const tags = [...new Set(change(discount.tags))]
  const saved = save(shop.db, 'discount', { ...discount, tags, updatedAt: shop.now() })
  return { node: buildNodeSource(context, saved), userErrors: [] }
}

const parseDiscountId = (text: string) => parseGid(text, 'DiscountCodeNode') ?? parseGid(text, 'DiscountNode')

const MISSING_IDS: UserError = {
  field: null,
  message: "Missing expected argument key: 'ids'",
  code: 'MISSING_ARGUMENT',
}

/** Completes at once here; apps must not rely on it. */
const job = { __typename: 'Job', id: buildGid('Job', 1), done: true }

function buildCodeMutations({ shop }: Context): Source {
  return {
    discountRedeemCodeBulkAdd: ({ discountId: text, codes }: { discountId: string; codes: { code: string }[] }) => {
      const discount = find(shop.db, 'discount', parseDiscountId(text) ?? 0)
      if (!discount)
        return { bulkCreation: null, userErrors: [buildUserError({ ...UNKNOWN_DISCOUNT, field: ['discountId'] })] }
      const rows = transact(shop.db, () =>
        checkListSize(codes).map(({ code }) => {
          const errors = findCodeErrors(shop, code, ['code'])
          const created = errors.length ? null : addCode(shop, discount, code)
          return { code, discountRedeemCode: created && buildCodeSource(created), errors: errors.map(buildUserError) }
        }),
      )
      const failed = rows.filter(({ errors }) => errors.length > 0).length
      const bulkCreation = {
        id: buildGid('DiscountRedeemCodeBulkCreation', discount.id),
        codesCount: rows.length,
        failedCount: failed,
        importedCount: rows.length - failed,
        done: true,
        codes: (args: PageArgs) => paginateList(rows, args, (row) => row),
      }
      return { bulkCreation, userErrors: [] }
    },
    discountCodeRedeemCodeBulkDelete: ({ discountId: text, ids }: { discountId: string; ids?: string[] }) => {
      if (!ids?.length) return { job: null, userErrors: [buildUserError(MISSING_IDS)] }
      const requested = new Set(checkListSize(ids).map((id) => parseGid(id, 'DiscountRedeemCode')))
      for (const { id } of listByOwner(shop.db, 'code', parseDiscountId(text) ?? 0)) {
        if (requested.has(id)) remove(shop.db, 'code', id)
      }
      return { job, userErrors: [] }
    },
  }
}

/** "Input arguments that accept an array have a maximum size of 250" (shopify.dev/docs/api/usage/limits). */
function checkListSize<T>(list: T[]): T[] {
  if (list.length <= 250) return list
  throw new GraphQLError(`The input array size of ${list.length} is greater than the maximum allowed of 250.`, {
    extensions: { code: 'MAX_INPUT_SIZE_EXCEEDED' },
  })
}

const buildUserError = ({ field, message, code }: UserError) => ({
  field,
  message,
  code: code ?? null,
  extraInfo: null,
})

function buildAppMutations(context: Context): Source {
  const { shop } = context
  const toWebhookPayload = (result: ReturnType<typeof createWebhook>) => ({
    webhookSubscription: 'webhook' in result ? buildWebhookSource(result.webhook) : null,
    userErrors: 'errors' in result ? result.errors : [],
  })
  return {
    webhookSubscriptionCreate: (args: { topic: string; webhookSubscription: WebhookInput }) =>
      toWebhookPayload(createWebhook(context, args.topic, args.webhookSubscription)),
    webhookSubscriptionUpdate: (args: { id: string; webhookSubscription: WebhookInput }) =>
      toWebhookPayload(updateWebhook(context, parseGid(args.id, 'WebhookSubscription') ?? 0, args.webhookSubscription)),
    webhookSubscriptionDelete: ({ id }: { id: string }) => {
      const isDeleted = deleteWebhook(shop, parseGid(id, 'WebhookSubscription') ?? 0)
      const userErrors = isDeleted ? [] : [{ field: ['id'], message: 'Webhook subscription does not exist' }]
      return { deletedWebhookSubscriptionId: isDeleted ? id : null, userErrors }
    },
    bulkOperationRunQuery: ({ query, groupObjects }: { query: string; groupObjects: boolean }) => {
      const result = startBulk(context, query, groupObjects)
      return {
        bulkOperation: 'bulk' in result ? buildBulkSource(shop, result.bulk) : null,
        userErrors: 'errors' in result ? result.errors : [],
      }
    },
    bulkOperationCancel: ({ id }: { id: string }) => {
      const bulk = cancelBulk(shop, parseGid(id, 'BulkOperation') ?? 0)
      const userErrors = bulk ? [] : [{ field: ['id'], message: 'Bulk operation does not exist' }]
      return { bulkOperation: bulk ? buildBulkSource(shop, bulk) : null, userErrors }
    },
    appUninstall: () => {
      const setup = readSetup(shop)
      writeSetup(shop, { ...setup, app: { ...setup.app, isInstalled: false } })
      return { app: { id: buildGid('App', 1) }, userErrors: [] }
    },
  }
}
