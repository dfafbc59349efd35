import { Button } from '@mantine/core'
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { useConnection, useStore } from '../access/queries.ts'
import { Loaded } from '../ui/Loaded.tsx'
import { LoadingCards } from '../ui/Loading.tsx'
import { PageTitle } from '../ui/PageTitle.tsx'
import { NoWorker } from './parts.tsx'
import { type PushSetup, usePushSetup } from './queries.ts'

interface Props {
  title: string
  text: string
  /** The other screen of web push. */
  other: { to: string; label: string }
  /** Without a setup there is no store: everything is shown, and nothing can be done. */
  children: (setup: PushSetup | null, storeId?: string) => ReactNode
}

/** What both screens of web push have around what is theirs. */
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
