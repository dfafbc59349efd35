// wc/v3 webhooks. Any http(s) address is accepted, even unreachable ones. Responses never contain the secret.
import { randomBytes } from 'node:crypto'
import { formatBothTimes } from '../clock.ts'
import { ping } from '../deliver.ts'
import { asText } from '../php.ts'
import {
  buildLinks,
  checkParams,
  isTrue,
  paginate,
  pagingRules,
  type RestReply,
  type RestRequest,
  type Route,
  type Rule,
} from '../rest.ts'
import { createInvalidIdError, createMissingParamsError, RestError } from '../rest-error.ts'
import {
  addWebhook,
  findWebhook,
  isTopic,
  listHookNames,
  listWebhooks,
  removeWebhook,
  saveWebhook,
  type Webhook,
} from '../webhooks.ts'
import { buildCreatedReply } from './orders.ts'

const states: Rule = { kind: 'enum', values: ['active', 'paused', 'disabled'] }
const listed: Rule = { kind: 'enum', values: ['all', 'active', 'paused', 'disabled'] }

export const webhookRoutes: Route[] = [
  {
    pattern: /^\/wc\/v3\/webhooks$/,
    GET: { can: 'list', rules: { ...pagingRules, status: listed }, run: getWebhooks },
    POST: { can: 'create', run: postWebhook },
  },
  {
    pattern: /^\/wc\/v3\/webhooks\/(\d+)$/,
    GET: { can: 'view', run: (request) => ({ body: present(request, findOrThrow(request)) }) },
    PUT: { can: 'edit', run: putWebhook },
    DELETE: { can: 'delete', run: deleteWebhook },
  },
]

function getWebhooks(request: RestRequest): RestReply {
  const status = asText(request.query.status) ?? 'all'
  const hooks = listWebhooks(request.shop).filter((hook) => status === 'all' || hook.status === status)
  return paginate(request, hooks, (hook) => present(request, hook))
}

function postWebhook(request: RestRequest): RestReply {
  const { shop, body } = request
  checkParams(body, { status: states })
  const missing = ['topic', 'delivery_url'].filter((name) => body[name] === undefined)
  if (missing.length) throw createMissingParamsError(missing)
  const { topic, delivery_url } = validateInput(body.topic, body.delivery_url)
  const secret = asText(body.secret as string) || randomBytes(25).toString('base64')
  const status = (body.status ?? 'active') as Webhook['status']
  const hook = addWebhook(shop, {
    name: String(body.name ?? 'Webhook created by the REST API'),
    status,
    topic,
    delivery_url,
    secret,
  })
  if (status === 'active') void ping(shop, hook)
  return buildCreatedReply(request, `webhooks/${hook.id}`, {
    ...present(request, hook),
    date_modified: null,
    date_modified_gmt: null,
  })
}

function putWebhook(request: RestRequest): RestReply {
  const { shop, body } = request
  const hook = findOrThrow(request)
  checkParams(body, { status: states })
  const { topic, delivery_url } = validateInput(body.topic ?? hook.topic, body.delivery_url ?? hook.delivery_url)
  const status = (body.status ?? hook.status) as Webhook['status']
  // Reactivating a webhook resets its failure count.
  const failures = status === 'active' && hook.status !== 'active' ? 0 : hook.failures
  const name = String(body.name ?? hook.name)
  saveWebhook(shop, {
    ...hook,
    name,
    status,
    topic,
    delivery_url,
    failures,
    secret: String(body.secret ?? hook.secret),
  })
  return { body: present(request, findWebhook(shop, hook.id)!) }
}

function deleteWebhook(request: RestRequest): RestReply {
  const hook = findOrThrow(request)
  if (!isTrue(request.query.force ?? request.body.force)) {
    throw new RestError(501, 'woocommerce_rest_trash_not_supported', 'Webhooks do not support trashing.')
  }
  removeWebhook(request.shop, hook.id)
  return { body: present(request, hook) }
}

function validateInput(topic: unknown, url: unknown): { topic: string; delivery_url: string } {
  if (!isTopic(topic)) {
    throw new RestError(
      400,
      'woocommerce_rest_shop_webhook_invalid_topic',
      'Webhook topic is required and must be valid.',
    )
  }
  if (typeof url === 'string' && /^https?:\/\/./.test(url) && URL.canParse(url)) return { topic, delivery_url: url }
  const text = 'Webhook delivery URL must be a valid URL starting with http:// or https://.'
  throw new RestError(400, 'woocommerce_rest_shop_webhook_invalid_delivery_url', text)
}

function present({ shop }: RestRequest, hook: Webhook) {
  const [resource, ...event] = hook.topic.split('.')
  return {
    id: hook.id,
    name: hook.name,
    status: hook.status,
    topic: hook.topic,
    resource,
    event: event.join('.'),
    hooks: listHookNames(hook.topic),
    delivery_url: hook.delivery_url,
    ...formatBothTimes('date_created', hook.created),
    ...formatBothTimes('date_modified', hook.modified),
    _links: buildLinks(shop, 'webhooks', hook.id),
  }
}

function findOrThrow({ shop, ids }: RestRequest): Webhook {
  const hook = findWebhook(shop, ids[0]!)
  if (!hook) throw createInvalidIdError('webhook')
  return hook
}
