<?php

use Recoup\WooCommerce\Capture;
use Recoup\WooCommerce\Connection;
use Recoup\WooCommerce\Contact;
use Recoup\WooCommerce\Guard;
use Recoup\WooCommerce\Orders;
use Recoup\WooCommerce\Outbox;
use Recoup\WooCommerce\Session as ShopperSession;
use Recoup\WooCommerce\Snapshot;

final class CaptureTest extends ShopCase
{
    public function testCostsNoQueryAndNoCallOnAPageWithoutCartChange(): void
    {
        $before = count($GLOBALS['wpdb']->log);
        $session = WC()->session->data;
        ob_start();
        do_action('template_redirect');
        do_action('woocommerce_before_checkout_form');
        do_action('woocommerce_checkout_after_customer_details');
        $this->endRequest();
        ob_end_clean();
        self::assertCount($before, $GLOBALS['wpdb']->log);
        self::assertSame($session, WC()->session->data);
        self::assertSame([], $this->recoup->calls);
    }

    public function testSendsAChangedCartOncePerRequest(): void
    {
        WC()->cart->add_to_cart(self::TEA, 2);
        WC()->cart->add_to_cart(self::LAMP, 1);
        self::assertSame([], $this->recoup->calls, 'a call delayed the response to the shopper');
        $this->endRequest();
        $entry = $this->lastEntry();
        self::assertCount(1, $this->recoup->entries());
        self::assertSame('cart', $entry['type']);
        self::assertMatchesRegularExpression('/^[\w-]{32}$/', $entry['cart']);
        self::assertSame(['10', null, 2, 'Tea & honey', '12.50'], [
            $entry['lines'][0]['product'],
            $entry['lines'][0]['variation'],
            $entry['lines'][0]['quantity'],
            $entry['lines'][0]['name'],
            $entry['lines'][0]['price'],
        ]);
        self::assertSame('105.00', $entry['total']);
        self::assertSame('phone', $entry['agent']);
        self::assertSame(0, Outbox::count());
    }

    public function testSendsTheVariationLabelsThatTheShopperSaw(): void
    {
        WC()->cart->add_to_cart(self::HOODIE, 1, self::BLUE, ['attribute_pa_size' => 'large', 'attribute_color' => 'Blue']);
        $this->endRequest();
        $line = $this->lastEntry()['lines'][0];
        self::assertSame(['13', '14'], [$line['product'], $line['variation']]);
        self::assertSame([['name' => 'Size', 'value' => 'Large'], ['name' => 'Color', 'value' => 'Blue']], $line['choices']);
    }

    public function testOmitsTheChildLinesOfABundle(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        WC()->cart->add_to_cart(self::LAMP, 1, 0, [], ['bundled_by' => 'x']);
        $this->endRequest();
        self::assertSame(['10'], array_column($this->lastEntry()['lines'], 'product'));
    }

    public function testSendsThePricesThatTheCartShows(): void
    {
        $GLOBALS['wp']['products'][70] = new Product(['id' => 70, 'price' => '50']);
        $cases = [['no', true, '59.50', 2], ['no', false, '50.00', 2], ['yes', false, '42.02', 2], ['yes', true, '50.00', 2], ['no', true, '60', 0]];
        foreach ($cases as [$entered, $showsTax, $price, $places]) {
            $GLOBALS['wp']['options']['woocommerce_prices_include_tax'] = $entered;
            $GLOBALS['wp']['options']['woocommerce_price_num_decimals'] = (string) $places;
            $GLOBALS['wp']['shows_tax'] = $showsTax;
            WC()->cart->empty_cart();
            WC()->cart->add_to_cart(70, 2);
            $this->endRequest();
            self::assertSame($price, $this->lastEntry()['lines'][0]['price'], $entered . ' ' . var_export($showsTax, true));
        }
    }

    public function testAddsThePricesOfChildLinesToTheBundle(): void
    {
        foreach ([70 => '0', 71 => '30', 72 => '2.5'] as $id => $price) {
            $GLOBALS['wp']['products'][$id] = new Product(['id' => $id, 'price' => $price]);
        }
        $kit = WC()->cart->add_to_cart(70, 2);
        $kettle = WC()->cart->add_to_cart(71, 2, 0, [], ['bundled_by' => $kit]);
        WC()->cart->add_to_cart(72, 4, 0, [], ['composite_parent' => $kettle]);
        WC()->cart->add_to_cart(self::TEA, 1, 0, [], ['woosb_parent_id' => '70']);
        WC()->cart->add_to_cart(self::LAMP, 1, 0, [], ['bundled_by' => '', 'composite_parent' => null]);
        $this->endRequest();
        $lines = array_column($this->lastEntry()['lines'], 'price', 'product');
        self::assertSame(['70', (string) self::LAMP], array_map('strval', array_keys($lines)));
        self::assertSame('41.25', $lines['70'], '30 and twice 2.50, and half a tea of 12.50');
    }

    public function testRecognizesTheMarksOfEachBundlePlugin(): void
    {
        $GLOBALS['wp']['products'][70] = new Product(['id' => 70, 'price' => '20']);
        $marks = [
            'WPC Force Sells' => ['woofs_parent_id' => 70, 'woofs_parent_key' => '70-0-[]'],
            'WPC Force Sells, by product' => ['woofs_parent_id' => 70, 'woofs_parent_key' => 'an older key'],
            'Easy Product Bundles' => ['asnp_wepb_parent_id' => 70, 'asnp_wepb_parent_key' => '70-0-[]'],
            'WPC Grouped Product' => ['woosg_parent_id' => 70, 'woosg_parent_key' => '70-0-[]'],
            'YITH Composite Products' => ['yith_wcp_child_component_data' => [
                'yith_wcp_component_parent_object' => new stdClass(),
                'yith_wcp_component_key' => '1',
                'yith_wcp_cart_parent_key' => '70-0-[]',
            ]],
        ];
        foreach ($marks as $plugin => $mark) {
            WC()->cart->empty_cart();
            WC()->cart->add_to_cart(70, 1);
            WC()->cart->add_to_cart(self::TEA, 1, 0, [], $mark);
            WC()->cart->add_to_cart(self::LAMP, 1, 0, [], ['yith_wcp_child_component_data' => '']);
            $this->endRequest();
            self::assertSame(['70' => '32.50', '12' => '80.00'], array_column($this->lastEntry()['lines'], 'price', 'product'), $plugin);
        }
    }

    public function testKeepsTheProductsOfAGroupThatIsNotInTheCart(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1, 0, [], ['woosg_parent_id' => 70, 'woosg_parent_key' => 'removed']);
        $this->endRequest();
        self::assertSame(['10'], array_column($this->lastEntry()['lines'], 'product'));
    }

    public function testTruncatesALargeCartAndReportsTheRest(): void
    {
        foreach (range(1, 505) as $number) {
            $GLOBALS['wp']['products'][1000 + $number] = new Product(['id' => 1000 + $number]);
            WC()->cart->add_to_cart(1000 + $number, 1);
        }
        $this->endRequest();
        $entry = $this->lastEntry();
        self::assertCount(500, $entry['lines']);
        self::assertSame(5, $entry['more']);
    }

    public function testNeverSendsTheIpAddress(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        WC()->customer->set_billing_email('ada@shoppers.example');
        $this->endRequest();
        $first = $this->lastEntry();
        self::assertStringNotContainsString('203.0.113', json_encode($this->recoup->calls));
        self::assertMatchesRegularExpression('/^[\w-]{22}$/', $first['client']);
        self::assertSame(['country' => 'DE', 'city' => ''], $first['geo']);
        self::assertSame(Snapshot::parseNetwork('2001:db8:1:2::1'), Snapshot::parseNetwork('2001:db8:1:2:ffff::9'));
        self::assertNotSame(Snapshot::parseNetwork('2001:db8:1:2::1'), Snapshot::parseNetwork('2001:db8:1:3::1'));
    }

    public function testSendsAnEmptiedCartButNoInitiallyEmptyCart(): void
    {
        WC()->cart->empty_cart();
        $this->endRequest();
        self::assertSame([], $this->recoup->calls);
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->endRequest();
        WC()->cart->empty_cart();
        $this->endRequest();
        self::assertSame([], $this->lastEntry()['lines']);
    }

    public function testSendsAnOrderWithItsCartAndStartsANewCart(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->endRequest();
        $cart = $this->lastEntry()['cart'];
        $order = new WC_Order(71);
        $GLOBALS['wp']['orders'][71] = $order;
        do_action('woocommerce_checkout_create_order', $order, []);
        do_action('woocommerce_checkout_order_processed', 71, [], $order);
        WC()->cart->empty_cart();
        $this->endRequest();
        $entry = $this->lastEntry();
        self::assertSame(['order', 'placed', $cart], [$entry['type'], $entry['event'], $entry['cart']]);
        self::assertSame([], array_filter($this->recoup->entries(), static function (array $each): bool {
            return $each['type'] === 'cart' && $each['lines'] === [];
        }), 'the checkout emptied the cart, not the shopper');
        WC()->cart->add_to_cart(self::LAMP, 1);
        $this->endRequest();
        self::assertNotSame($cart, $this->lastEntry()['cart']);
    }

    public function testSendsAnOrderThatStaffEdit(): void
    {
        $GLOBALS['wp']['orders'][71] = new WC_Order(71);
        do_action('woocommerce_update_order', 71, $GLOBALS['wp']['orders'][71]);
        $this->endRequest();
        $entry = $this->lastEntry();
        self::assertSame(['order', 'changed', 71], [$entry['type'], $entry['event'], $entry['order']['id']]);
    }

    public function testIgnoresSubscriptionsDraftsAndVendorOrders(): void
    {
        foreach (['shop_subscription', 'shop_order_vendor', 'checkout-draft', 'auto-draft'] as $place => $of) {
            $order = new WC_Order(80 + $place);
            $place < 2 ? $order->type = $of : $order->status = $of;
            $GLOBALS['wp']['orders'][80 + $place] = $order;
            do_action('woocommerce_update_order', 80 + $place, $order);
        }
        $this->endRequest();
        self::assertSame([], $this->recoup->entries());
    }

    public function testLimitsTheOrdersQueuedInOneRequest(): void
    {
        foreach (range(1001, 1400) as $id) {
            $GLOBALS['wp']['orders'][$id] = new WC_Order($id);
            do_action('woocommerce_update_order', $id, $GLOBALS['wp']['orders'][$id]);
        }
        do_action('woocommerce_checkout_order_processed', 1400, [], $GLOBALS['wp']['orders'][1400]);
        Orders::queueChanged();
        $all = $GLOBALS['wpdb']->get_results('SELECT name FROM `' . Outbox::getTableName() . '`');
        self::assertSame(201, count($all));
    }

    public function testSendsAnOrdersParentAndRenewalMark(): void
    {
        $order = new WC_Order(71);
        $order->parent = 70;
        $order->meta = ['_subscription_renewal' => 77, '_subscription_payment_method' => 'card'];
        $wire = Orders::serialize($order);
        self::assertSame(70, $wire['parent_id']);
        self::assertSame([['key' => '_subscription_renewal', 'value' => '77']], $wire['meta_data']);
        $order->meta = ['sumo_renewal_order_date' => '2026-11-24 18:00:00', '_subscriptio_renewal' => 'yes'];
        self::assertSame(['sumo_renewal_order_date', '_subscriptio_renewal'], array_column(Orders::serialize($order)['meta_data'], 'key'));
    }

    public function testSendsOnlyTheOrderFieldsThatRecoupReads(): void
    {
        $order = new WC_Order(71);
        $order->meta = ['_recoup_consent_email' => 'yes', '_customer_ip_address' => '203.0.113.7'];
        $wire = Orders::serialize($order);
        self::assertSame('2026-11-24T18:00:00', $wire['date_modified_gmt']);
        self::assertSame([['key' => '_recoup_consent_email', 'value' => 'yes']], $wire['meta_data']);
        self::assertStringNotContainsString('Main St', json_encode($wire));
        self::assertSame(['12.50', 'EUR', true], [$wire['total'], $wire['currency'], $wire['prices_include_tax']]);
    }

    public function testKeepsTheCartWhenAShopperSignsIn(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->endRequest();
        $cart = $this->lastEntry()['cart'];
        $session = WC()->session->data;
        $GLOBALS['wp']['meta'][4]['wc_last_active'] = '1700000000';
        do_action('wp_login', 'carla', (object) ['ID' => 4]);
        $this->endRequest();
        self::assertSame($session, WC()->session->data, 'a session write could overwrite a concurrent request');
        self::assertSame($cart, $this->lastEntry()['cart']);
        self::assertSame(['id' => '4', 'lastActive' => 1700000000], $this->lastEntry()['customer']);
    }

    public function testSendsNoContactForADefaultCountry(): void
    {
        self::assertSame([], Contact::readKnownContact());
        WC()->customer->set_billing_email('vera@example.com');
        self::assertSame(['email' => 'vera@example.com', 'country' => 'US', 'state' => 'CA'], Contact::readKnownContact());
    }

    public function testStoresAndSendsContactFieldsOfTheClassicCheckout(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $_POST = ['nonce' => wp_create_nonce('recoup_contact'), 'email' => 'vera@example.com', 'phone' => '12', 'recoup_consent_email' => 'yes'];
        $this->captureRedirect([Contact::class, 'saveContact']);
        self::assertSame(200, $GLOBALS['wp']['json'][0]);
        $this->endRequest();
        $entry = $this->lastEntry();
        self::assertSame('vera@example.com', $entry['contact']['email']);
        self::assertArrayNotHasKey('phone', $entry['contact']);
        self::assertSame(['isGiven' => true, 'id' => 'w1', 'wording' => self::WORDING], $entry['consent']['email']);
    }

    public function testCountsTheBoxesThatTheClassicFormShows(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        $type = function (string $email, array $more): array {
            $_POST = ['nonce' => wp_create_nonce('recoup_contact'), 'email' => $email] + $more;
            $this->captureRedirect([Contact::class, 'saveContact']);
            $this->endRequest();
            return array_intersect_key($this->lastEntry(), ['forms' => 1, 'boxes' => 1, 'consent' => 1]);
        };
        self::assertSame([], $type('vera@example.com', []), 'an older script, or a theme without boxes');
        self::assertSame([], $type('ada@example.com', ['boxes' => 'fax=w1,email=,email=<b>']));
        $fields = ['boxes' => ['email' => 'w1'], 'forms' => ['classic' => ['email' => ['id' => 'w1']]]];
        self::assertSame($fields, $type('grace@example.com', ['boxes' => 'sms=w2,email=w1']));
    }

    public function testRejectsAContactRequestWithoutNonce(): void
    {
        $_POST = ['nonce' => 'forged', 'email' => 'vera@example.com'];
        $this->captureRedirect(static function (): void {
            Contact::saveContact();
        });
        self::assertSame(403, $GLOBALS['wp']['json'][0]);
        self::assertSame([], Contact::readKnownContact());
    }

    public function testReadsContactFieldsFromTheOrderReviewForm(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        do_action('woocommerce_checkout_update_order_review', 'billing_email=vera%40example.com&billing_phone=%2B4915112345');
        $this->endRequest();
        self::assertSame(['vera@example.com', '+4915112345'], [$this->lastEntry()['contact']['email'], $this->lastEntry()['contact']['phone']]);
    }

    public function testCatchesItsOwnErrorsInEveryHook(): void
    {
        WC()->cart = new class () extends Cart {
            public function get_cart(): array
            {
                throw new RuntimeException('broken by another plugin, vera@example.com');
            }
        };
        WC()->cart->add_to_cart(self::TEA, 1);
        Guard::wrapAction('shutdown', [Capture::class, 'finish'])();
        self::assertCount(1, $GLOBALS['logger']->lines);
        self::assertStringNotContainsString('vera', $GLOBALS['logger']->lines[0], 'personal data in the log');
        self::assertSame('as it was', Guard::wrapFilter('x', static function (): void {
            throw new Error('x');
        })('as it was'));
    }

    public function testRestoresTheHookStackAfterAnError(): void
    {
        $GLOBALS['wp_current_filter'] = [];
        foreach (['recoup_measured', 'inside'] as $broken) {
            add_action($broken, static function (): void {
                throw new TypeError('of another plugin');
            });
        }
        add_action('outside', Guard::wrapAction('outside', static function (): void {
            do_action('inside');
        }));
        do_action('outside');
        self::assertSame([], $GLOBALS['wp_current_filter']);
    }

    public function testSendsNothingFromACopyOfTheShop(): void
    {
        $GLOBALS['wp']['options']['home'] = 'https://staging.shop.example.com';
        WC()->cart->add_to_cart(self::TEA, 1);
        $this->endRequest();
        self::assertSame([], $this->recoup->calls);
        $GLOBALS['wp']['options']['home'] = 'http://shop.example.com';
        $GLOBALS['wp']['language'] = '/de';
        self::assertTrue(Connection::isConnected(), 'a language in home_url() or another scheme does not make the shop a copy');
    }

    public function testUsesACartTokenThatIsNotTheSessionKey(): void
    {
        WC()->cart->add_to_cart(self::TEA, 1);
        self::assertSame(ShopperSession::getCartToken(), WC()->session->data['recoup']['cart']);
        self::assertMatchesRegularExpression('/^[\w-]{32}$/', ShopperSession::getCartToken());
    }
}
