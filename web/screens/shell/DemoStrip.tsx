import { Menu, UnstyledButton } from '@mantine/core'
import { IconChevronDown, IconDeviceMobile, IconMailbox, IconRotate, IconShoppingBag } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocation } from 'react-router'
import { useDemoShop, useInstance, useStore } from '../../core/access/queries.ts'
import { announce } from '../../core/ui/announce.ts'
import { Confirm } from '../../core/ui/Confirm.tsx'
import { useFollowing } from '../../features/active/following.ts'
import { useFollowed } from '../../features/active/queries.ts'
import { DemoProgress } from '../../kits/page/DemoHistory.tsx'
import { useResetDemo } from './queries.ts'

// One line on every screen of the demo. Links are in a menu where the line has no room for them. The sentence
// disappears once the visitor has recovered a cart or has closed the guide.

export function DemoStrip() {
  const store = useStore()
  const { pathname } = useLocation()
  const [isAsking, setAsking] = useState(false)
  const links = useDemoLinks()
  return (
    <>
      <strong>Live demo</strong>
      <span className="strip-text">
        <DemoProgress fallback={store && <Explanation key={pathname} storeId={store.id} />} />
      </span>
      <span className="strip-links">
        {links.map(({ label, href }) => (
          <a key={label} href={href} target="_blank" rel="noreferrer">
            {label}
          </a>
        ))}
        <UnstyledButton onClick={() => setAsking(true)}>Reset demo</UnstyledButton>
      </span>
      <span className="strip-menu">
        <Menu position="bottom-end" shadow="md" withInitialFocusPlaceholder={false} withinPortal={false}>
          <Menu.Target>
            <UnstyledButton>
              Demo links
              <IconChevronDown size={14} aria-hidden />
            </UnstyledButton>
          </Menu.Target>
          <Menu.Dropdown>
            {links.map(({ label, href, icon: Icon }) => (
              <Menu.Item
                key={label}
                component="a"
                href={href}
                target="_blank"
                rel="noreferrer"
                leftSection={<Icon size={16} aria-hidden />}
              >
                {label}
              </Menu.Item>
            ))}
            <Menu.Item leftSection={<IconRotate size={16} aria-hidden />} onClick={() => setAsking(true)}>
              Reset demo
            </Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </span>
      <ResetDialog opened={isAsking} onClose={() => setAsking(false)} />
    </>
  )
}

function useDemoLinks() {
  const instance = useInstance()
  const links = [
    { label: 'Demo store', href: useDemoShop(), icon: IconShoppingBag },
    { label: 'Mailbox', href: instance?.mailboxUrl, icon: IconMailbox },
    { label: 'Phones', href: instance?.phoneUrl, icon: IconDeviceMobile },
  ]
  return links.flatMap(({ href, ...link }) => (href ? [{ ...link, href }] : []))
}

/** The newest cart of the last hour, or the one that this browser follows. */
function Explanation({ storeId }: { storeId: string }) {
  const { following, isHidden } = useFollowing(storeId)
  const followed = useFollowed(isHidden ? null : (following ?? ANY))
  if (isHidden || followed.isPending || followed.data?.cart?.state === 'recovered') return null
  return 'Messages go to its own mailbox and phones, after 1, 3 and 5 minutes.'
}

const ANY = {}

function ResetDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const reset = useResetDemo()
  return (
    <Confirm
      opened={opened}
      title="Reset the demo?"
      confirmLabel="Reset demo"
      isBusy={reset.isPending}
      problem={reset.error?.message}
      onConfirm={() =>
        reset.mutate(undefined, {
          onSuccess: ({ message }) => {
            onClose()
            announce(message)
          },
        })
      }
      onClose={onClose}
    >
      Carts, messages and flows return to the start, for everyone who uses the demo now.
    </Confirm>
  )
}
