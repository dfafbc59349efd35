import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useConnection, useStore } from '../../core/access/queries.ts'
import { Loaded } from '../../core/ui/Loaded.tsx'
import { LoadingCards } from '../../core/ui/Loading.tsx'
import { Notice } from '../../core/ui/Notice.tsx'
import { PageTitle } from '../../core/ui/PageTitle.tsx'
import { type PushSetup, usePushSetup } from './queries.ts'

interface Props {
  title: string
  text: string
  /** Link to the other web push screen. */
  other: { to: string; label: string }
  /** Without a store: everything is visible but disabled. */
  children: (setup: PushSetup | null, storeId?: string) => ReactNode
}

/** Frame shared by both web push screens. */
export function PushScreen({ title, text, other, children }: Props) {
  const store = useStore()
  const connection = useConnection()
  return (
    <>
      <PageTitle title={title} text={text}>
        <Button component={Link} to={other.to} variant="default">
          {other.label}
        </Button>
      </PageTitle>
      {store ? (
        <OfStore key={store.id} storeId={store.id}>
          {children}
        </OfStore>
      ) : connection?.isPending ? (
        <LoadingCards count={3} />
      ) : (
        children(null)
      )}
    </>
  )
}

function OfStore({ storeId, children }: { storeId: string; children: Props['children'] }) {
  const setup = usePushSetup(storeId)
  return (
    <Loaded query={setup} loading={<LoadingCards count={3} />} failed="Web push could not be loaded">
      {(data) => (data.canHostWorker ? children(data, storeId) : <NoWorker />)}
    </Loaded>
  )
}

/** Decision 75: methods that cannot work are not offered. */
const NoWorker = () => (
  <Notice tone="warn" title="Web push does not work on Shopify">
    Web push needs a file at the shop’s own address, and Shopify does not allow that. Use email, SMS or WhatsApp for
    this store.
  </Notice>
)
