import { Menu, UnstyledButton } from '@mantine/core'
import { IconCheck, IconLock, IconPlus, IconSelector } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { Link, useLocation, useNavigate } from 'react-router'
import type { User } from '../../../shared/access/auth.ts'
import { platformNames } from '../../../shared/platforms/platforms.ts'
import { useSwitchStore } from '../../core/access/current-store.ts'
import { useCanConnectStores, useHasFeature } from '../../core/access/queries.ts'
import { buildAllStoresPath, hasAllStores, useScope } from '../../core/access/scope.ts'
import { ANOTHER_STORE } from '../../core/session/request.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { hasUnsaved } from '../../core/ui/unsaved.ts'
import { findSection } from './sections.ts'

interface Props {
  label: ReactNode
  stores: User['stores']
  currentId: string
}

export function StoreSwitcher({ label, stores, currentId }: Props) {
  const { isAll } = useScope()
  const mayConnect = useCanConnectStores()
  const { choose, nextStore, setNextStore } = useChoice(currentId)
  const isCurrent = (id: string) => !isAll && id === currentId
  return (
    <>
      <Menu position="bottom-end" width={280} shadow="md" withInitialFocusPlaceholder={false} withinPortal={false}>
        <Menu.Target>
          <UnstyledButton className="store-mark store-switch" aria-label="Switch store">
            {label}
            <IconSelector size={16} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Stores of this account</Menu.Label>
          {stores.map(({ id, name, storeUrl, platform }) => (
            <Menu.Item
              key={id}
              aria-current={isCurrent(id)}
              rightSection={isCurrent(id) ? <IconCheck size={16} aria-label="shown now" /> : null}
              onClick={() => choose(id)}
            >
              {name}
              <span className="store-platform">
                {platformNames[platform]}, {storeUrl.replace(/^https?:\/\//, '')}
              </span>
            </Menu.Item>
          ))}
          <Menu.Divider />
          {stores.length > 1 && <AllStores isCurrent={isAll} onChoose={() => choose(ALL)} />}
          {mayConnect && <AnotherStore />}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={nextStore !== null}
        title="Switch without saving?"
        confirmLabel="Switch store"
        isDangerous
        onConfirm={() => nextStore && choose(nextStore, true)}
        onClose={() => setNextStore(null)}
      >
        Your changes on this page have not been saved.
      </Confirm>
    </>
  )
}

function AnotherStore() {
  const { pathname, search } = useLocation()
  return (
    <Menu.Item
      component={Link}
      to={ANOTHER_STORE}
      state={{ from: pathname + search }}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      Connect another store
    </Menu.Item>
  )
}

/** Dashboard and analytics over all stores (decision 154); on smaller plans a link to the plans. */
function AllStores({ isCurrent, onChoose }: { isCurrent: boolean; onChoose: () => void }) {
  if (useHasFeature('multi_store_dashboard') === false) {
    return (
      <Menu.Item component={Link} to="/pricing" rightSection={<IconLock size={16} aria-hidden />}>
        All stores
        <span className="store-platform">On the Growth plan: see plans</span>
      </Menu.Item>
    )
  }
  return (
    <Menu.Item
      aria-current={isCurrent}
      rightSection={isCurrent ? <IconCheck size={16} aria-label="shown now" /> : null}
      onClick={onChoose}
    >
      All stores
      <span className="store-platform">Dashboard and analytics together</span>
    </Menu.Item>
  )
}

const ALL = 'all'

function useChoice(currentId: string) {
  const { pathname } = useLocation()
  const { isAll } = useScope()
  const navigate = useNavigate()
  const switchStore = useSwitchStore()
  const [nextStore, setNextStore] = useState<string | null>(null)
  const choose = (storeId: string, isSure = false) => {
    if (storeId === (isAll ? ALL : currentId)) return
    if (hasUnsaved() && !isSure) return setNextStore(storeId)
    setNextStore(null)
    if (storeId === ALL) {
      announce('Now showing all stores')
      return void navigate(buildAllStoresPath(hasAllStores(pathname) ? pathname : '/dashboard', null))
    }
    // The same store is still selected.
    if (storeId === currentId) return void navigate(pathname)
    switchStore.mutate(storeId, {
      onSuccess: ({ store }) => {
        announce(`Now showing ${store.name}`)
        // A cart or flow of the other store does not exist in this one.
        void navigate(findSection(pathname).path)
      },
      onError: (error) => announce(error.message, 'bad'),
    })
  }
  return { choose, nextStore, setNextStore }
}
