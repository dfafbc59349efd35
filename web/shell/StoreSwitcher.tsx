import { Menu, UnstyledButton } from '@mantine/core'
import { IconCheck, IconSelector } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'
import type { User } from '../../shared/auth.ts'
import { platformNames } from '../../shared/platforms.ts'
import { announce } from '../ui/announce.ts'
import { Confirm } from '../ui/Confirm.tsx'
import { hasUnsaved } from '../ui/unsaved.ts'
import { useSwitchStore } from './queries.ts'
import { sectionOf } from './sections.ts'

interface Props {
  words: ReactNode
  stores: User['stores']
  currentId: string
}

export function StoreSwitcher({ words, stores, currentId }: Props) {
  const { choose, leaving, setLeaving } = useChoice(currentId)
  return (
    <>
      <Menu position="bottom-end" width={280} shadow="md" withInitialFocusPlaceholder={false} withinPortal={false}>
        <Menu.Target>
          <UnstyledButton className="store-mark store-switch" aria-label="Switch store">
            {words}
            <IconSelector size={16} aria-hidden />
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Stores of this account</Menu.Label>
          {stores.map(({ id, storeUrl, platform }) => (
            <Menu.Item
              key={id}
              aria-current={id === currentId}
              rightSection={id === currentId ? <IconCheck size={16} aria-label="shown now" /> : null}
              onClick={() => choose(id)}
            >
              {storeUrl.replace(/^https?:\/\//, '')}
              <span className="store-platform">{platformNames[platform]}</span>
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
      <Confirm
        opened={leaving !== null}
        title="Switch without saving?"
        confirmLabel="Switch store"
        isDangerous
        onConfirm={() => leaving && choose(leaving, true)}
        onClose={() => setLeaving(null)}
      >
        Your changes on this page have not been saved.
      </Confirm>
    </>
  )
}

function useChoice(currentId: string) {
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const switchStore = useSwitchStore()
  const [leaving, setLeaving] = useState<string | null>(null)
  const choose = (storeId: string, isSure = false) => {
    if (storeId === currentId) return
    if (hasUnsaved() && !isSure) return setLeaving(storeId)
    setLeaving(null)
    switchStore.mutate(storeId, {
      onSuccess: ({ store }) => {
        announce(`Now showing ${store.name}`)
        // A cart or flow of the other store is not to be found in this one.
        void navigate(sectionOf(pathname).path)
      },
      onError: (error) => announce(error.message, 'bad'),
    })
  }
  return { choose, leaving, setLeaving }
}
