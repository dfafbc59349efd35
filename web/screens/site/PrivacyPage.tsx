import { Text, Title } from '@mantine/core'
import { useInstance } from '../../core/access/queries.ts'
import { BarePage } from '../../kits/page/BarePage.tsx'

export function PrivacyPage() {
  const instance = useInstance()
  const support = instance?.supportEmail
  return (
    <BarePage title="Privacy">
      <div className="prose">
        <Title order={1}>Privacy</Title>
        <Text c="dimmed">
          What data is kept{instance && <> by {instance.companyName}</>}, why, and how to have it removed.
        </Text>
        <h2>If you run a store</h2>
        <p>
          Your name, email address and a hash of your password; the address of your store and its keys, encrypted; the
          orders, customers and products your store shares through those keys.
        </p>
        <h2>If you shop in a store that uses Recoup</h2>
        <ul>
          <li>What was in the cart you left, and the contact details you typed at checkout.</li>
          <li>Which messages were sent to you about it, and why each was sent or not.</li>
          <li>
            Whether you clicked a link in them, and when your email app loaded the tracking pixel in them, which often
            means that you opened them. The store sees how many were opened. Nothing else depends on it.
          </li>
          <li>Your choice when you unsubscribe. It is kept so that you are not contacted again.</li>
        </ul>
        <p>
          Nothing is sold, and no data goes to anyone but the store you shopped in and the services that deliver its
          messages. Your IP address is not stored. A keyed hash of it is used for rate limiting, for an hour at most. Of
          your browser, only whether it runs on a phone or a desktop is stored.
        </p>
        <p>
          The script in such a store, or the store’s plugin, reports the cart and the contact fields of the checkout,
          and no payment details. The script keeps two random identifiers and its last report in your browser’s storage,
          so that an abandoned cart is recognised. You agree in the store’s cookie banner, or by ticking a box at the
          checkout or in your account at the store. A tick is about the email address or phone number beside the box,
          not about one that a payment button fills in. Each store chooses what is kept before that: nothing at all;
          only the products, without contact details or a lasting identifier; or both. What you buy is kept in any case.
          A store that keeps only the products may add the email address you have bought with before, where the law
          allows it. After a refusal in the banner the script and the plugin report nothing more, except that you untick
          a box.
        </p>
        <h2>On this website</h2>
        <p>
          Recoup keeps your sign-in, your theme and the address of your connected store in your browser’s storage. One
          cookie remembers for half a year that you have signed in here, so that someone guessing your password cannot
          lock you out. There are no other cookies. Nothing is loaded from other companies, except product pictures,
          which come from the store that sells them. If you press “Restore Cart”, the items are kept in your browser’s
          storage too.
        </p>
        <h2>Removal</h2>
        <p>
          Every email has an unsubscribe link that works with one click and without signing in. To have your data
          removed, write to the store that sent the email
          {support && (
            <>
              {' '}
              or to <a href={`mailto:${support}`}>{support}</a>
            </>
          )}
          . The data of a disconnected store is deleted after 30 days.
        </p>
      </div>
    </BarePage>
  )
}
