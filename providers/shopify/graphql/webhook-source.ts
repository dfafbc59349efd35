import type { Webhook } from '../model.ts'
import { apiVersion } from '../schema/schema.ts'
import { buildGid } from '../shop.ts'
import { formatTime, type Source } from './context.ts'

export const buildWebhookSource = (webhook: Webhook): Source => ({
  __typename: 'WebhookSubscription',
  id: buildGid('WebhookSubscription', webhook.id),
  legacyResourceId: String(webhook.id),
  topic: webhook.topic,
  uri: webhook.uri,
  callbackUrl: webhook.uri,
  format: 'JSON',
  filter: null,
  name: null,
  endpoint: { __typename: 'WebhookHttpEndpoint', callbackUrl: webhook.uri },
  includeFields: [],
  metafieldNamespaces: [],
  metafields: [],
  apiVersion: { handle: apiVersion, displayName: apiVersion, supported: true },
  createdAt: formatTime(webhook.createdAt),
  updatedAt: formatTime(webhook.updatedAt),
})
