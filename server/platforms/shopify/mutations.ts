// All mutations, checked against the schema like the queries. Responses request ids only: a withheld field would turn a
// successful mutation into a failure.

export const DISCOUNT_DELETE = `mutation DiscountDelete($id: ID!) {
  discountCodeDelete(id: $id) { deletedCodeDiscountId userErrors { field message code } }
}`
