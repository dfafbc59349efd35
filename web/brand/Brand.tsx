import './brand.css'
import type { StoreView } from '../../shared/stores.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { BrandForm } from './BrandForm.tsx'
import { useBrand } from './queries.ts'

/** Settings for the look of the store's mails. */
export function Brand({ store }: { store: StoreView }) {
  const brand = useBrand(store.id)
  return (
    <Loaded query={brand} loading={<LoadingCards count={3} />} failed="The brand could not be loaded">
      {(view) => <BrandForm store={store} view={view} />}
    </Loaded>
  )
}
