// The list of carts: counts, pages and the columns of a row.

export {
  type CartTotal,
  countCarts,
  filterByCountry,
  filterByProduct,
  type ListedCart,
  listCarts,
  MAX_EVALUATED,
  MAX_SEARCHED,
  readCartPages,
  selectNewestIds,
} from './list-sql.ts'
