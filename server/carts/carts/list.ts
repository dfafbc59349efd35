// The list of carts: counts, pages and the columns of a row.

export {
  type CartTotal,
  countCarts,
  idsOfCountry,
  idsOfProduct,
  type ListedCart,
  listCarts,
  MOST_EVALUATED,
  MOST_LOOKED_THROUGH,
  newestIds,
  pagesOfCarts,
} from './list-sql.ts'
