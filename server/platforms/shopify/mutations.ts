// All mutations, checked against the schema like the queries. Responses request ids only: a withheld field would turn a
// successful mutation into a failure.

export const DISCOUNT_CREATE = `mutation DiscountCreate($input: DiscountCodeBasicInput!) {
  discountCodeBasicCreate(basicCodeDiscount: $input) {
    codeDiscountNode { id }
    userErrors { field message code }
  }
}`

export const DISCOUNT_UPDATE = `mutation DiscountUpdate($id: ID!, $input: DiscountCodeBasicInput!) {
  discountCodeBasicUpdate(id: $id, basicCodeDiscount: $input) {
    codeDiscountNode { id }
    userErrors { field message code }
  }
}`

export const DISCOUNT_DELETE = `mutation DiscountDelete($id: ID!) {
  discountCodeDelete(id: $id) { deletedCodeDiscountId userErrors { field message code } }
}`

export const SUBSCRIBE = `mutation Subscribe($topic: WebhookSubscriptionTopic!, $subscription: WebhookSubscriptionInput!) {
  webhookSubscriptionCreate(topic: $topic, webhookSubscription: $subscription) {
    webhookSubscription { id topic uri }
    userErrors { field message }
  }
}`

export const UNSUBSCRIBE = `mutation Unsubscribe($id: ID!) {
  webhookSubscriptionDelete(id: $id) { deletedWebhookSubscriptionId userErrors { field message } }
}`

export const BULK_RUN = `mutation BulkRun($query: String!) {
  bulkOperationRunQuery(query: $query, groupObjects: true) {
    bulkOperation { id status errorCode createdAt objectCount url query }
    userErrors { field message code }
  }
}`
