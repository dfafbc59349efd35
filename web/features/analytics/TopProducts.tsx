import { Anchor, Button, Table, Text } from '@mantine/core'
import { IconPackage } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { formatPercent } from '../../../shared/core/percent.ts'
import { type AnalyticsRange, rangeDays, type TopProduct } from '../../../shared/insights/analytics.ts'
import { definitions } from '../../../shared/insights/analytics-definitions.ts'
import { useScope } from '../../core/access/scope.ts'
import { Empty } from '../../core/ui/Empty.tsx'
import { formatCount, formatMoney } from '../../core/ui/format.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingRows } from '../../core/ui/Loading.tsx'
import { PageButtons } from '../../core/ui/Pager.tsx'
import { ProductPicture } from '../../core/ui/ProductPicture.tsx'
import { SearchBox } from '../../core/ui/SearchBox.tsx'
import { Block, Term } from './parts.tsx'
import { useProducts } from './queries.ts'
import { SaveCsv, type Sheet } from './Rows.tsx'
import { count, rateCell, toCodeValueCell, toMoneyCell, toTextCell } from './table.ts'

interface Props {
  products: readonly TopProduct[]
  currency: string
  range: AnalyticsRange
  days: Sheet['days']
  /** Missing rows may only be not counted yet. */
  isBeingCounted: boolean
}

export function TopProducts({ products, currency, range, days, isBeingCounted }: Props) {
  const [isAll, setAll] = useState(false)
  return (
    <Block
      title={TITLE}
      tools={
        products.length > 0 && (
          <div className="block-tools">
            <Button size="xs" variant="default" aria-expanded={isAll} onClick={() => setAll(!isAll)}>
              {isAll ? 'Show the top 10' : 'See all'}
            </Button>
            {!isAll && <SaveCsv {...buildSheet(products, currency, days)} />}
          </div>
        )
      }
    >
      {products.length === 0 ? (
        <Empty icon={IconPackage} text={isBeingCounted ? COUNTING : 'No products in abandoned carts in this period.'} />
      ) : isAll ? (
        <AllProducts range={range} />
      ) : (
        <ProductTable products={products} currency={currency} range={range} />
      )}
    </Block>
  )
}

function AllProducts({ range }: { range: AnalyticsRange }) {
  const [query, setQuery] = useState({ search: '', page: 1 })
  const found = useProducts(range, query, true)
  return (
    <>
      <SearchBox
        label="Search by name or SKU"
        value={query.search}
        isBusy={found.isPlaceholderData}
        onSearch={(search) => setQuery({ search: search ?? '', page: 1 })}
      />
      <Loaded query={found} loading={<LoadingRows />} failed="The products could not be loaded">
        {({ products, currency, pagination, ...days }) =>
          products.length === 0 ? (
            <Empty icon={IconPackage} text={`No product contains “${query.search}”.`} />
          ) : (
            <div aria-busy={found.isPlaceholderData}>
              <ProductTable products={products} currency={currency} range={range} />
              <SaveCsv {...buildSheet(products, currency, days)} />
              {pagination.pages > 1 && (
                <nav aria-label="Pages of products" className="list-foot">
                  <PageButtons
                    page={pagination.page}
                    pages={pagination.pages}
                    requestedPage={query.page}
                    noun="products"
                    onPage={(page) => setQuery({ ...query, page })}
                  />
                </nav>
              )}
            </div>
          )
        }
      </Loaded>
    </>
  )
}

const TITLE = 'Top Abandoned Products'
const COUNTING = 'Products are being counted.'

const buildSheet = (products: readonly TopProduct[], currency: string, days: Sheet['days']): Sheet => ({
  title: TITLE,
  days,
  head: [['Product'], ['SKU'], ['Abandoned'], ['Recovery rate'], ['Revenue lost']],
  rows: products.map((product) => [
    toTextCell(product.name),
    toCodeValueCell(product.sku),
    count(product.abandonedCount),
    rateCell(product.recoveryRate),
    toMoneyCell(product.revenueLost, currency),
  ]),
})

function ProductTable({ products, currency, range }: Omit<Props, 'days' | 'isBeingCounted'>) {
  const { isAll } = useScope()
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
    <section className="product-table" tabIndex={0} aria-label="Products">
      <Table fz="sm" verticalSpacing={8} miw={560}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Product</Table.Th>
            <Table.Th scope="col">SKU</Table.Th>
            <Table.Th scope="col" className="number">
              <Term label="Abandoned" definition={definitions.abandonedCount} />
            </Table.Th>
            <Table.Th scope="col" className="number">
              <Term label="Recovery rate" definition={definitions.recoveryRate} />
            </Table.Th>
            <Table.Th scope="col" className="number">
              <Term label="Revenue lost" definition={definitions.revenueLost} />
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {products.map((product) => (
            <Table.Tr key={product.productId}>
              <Table.Th scope="row" fw={500}>
                <span className="product-name">
                  <ProductPicture url={product.image} size={32} />
                  {isAll ? (
                    <span>{product.name}</span>
                  ) : (
                    <Anchor
                      component={Link}
                      to={`/carts?${new URLSearchParams({ product: product.productId, days: String(rangeDays[range]) })}`}
                      inherit
                    >
                      {product.name}
                    </Anchor>
                  )}
                </span>
              </Table.Th>
              <Table.Td>
                {product.sku ?? (
                  <Text component="span" c="dimmed" inherit>
                    -
                  </Text>
                )}
              </Table.Td>
              <Table.Td className="number">{formatCount(product.abandonedCount)}</Table.Td>
              <Table.Td className="number">{formatPercent(product.recoveryRate)}</Table.Td>
              <Table.Td className="number">{formatMoney(product.revenueLost, currency)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </section>
  )
}
