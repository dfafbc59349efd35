<?php

// Runs the plugin with the stubs of its tests against a server: `php plugin-live.php <plugin folder> <home>`. Each input line is
// a command, and each output line its reply. The commands set the clock.

namespace Recoup\WooCommerce {
    function time(): int
    {
        return $GLOBALS['now'] ?? \time();
    }
}

namespace {
    use Recoup\WooCommerce\Beat;
    use Recoup\WooCommerce\Capture;
    use Recoup\WooCommerce\Connect;
    use Recoup\WooCommerce\Connection;
    use Recoup\WooCommerce\Orders;
    use Recoup\WooCommerce\Outbox;
    use Recoup\WooCommerce\Plugin;
    use Recoup\WooCommerce\Restore;
    use Recoup\WooCommerce\State;

    $tests = dirname(__DIR__) . '/plugin/tests';
    require $tests . '/wordpress/constants.php';
    foreach (array_merge(glob($tests . '/wordpress/*.php'), glob($tests . '/woocommerce/*.php')) as $file) {
        require_once $file;
    }
    require $tests . '/Database.php';
    require $argv[1] . '/recoup-for-woocommerce.php';

    final class LiveItem
    {
        public function __call(string $name, array $arguments)
        {
            $values = ['get_product_id' => 10, 'get_variation_id' => 0, 'get_name' => 'Tea', 'get_quantity' => 2, 'get_subtotal' => '25', 'get_subtotal_tax' => '0', 'get_total' => '25'];
            return $values[$name] ?? null;
        }
    }

    final class LiveOrder extends WC_Order
    {
        public $email;
        public $at;

        public function __construct(int $id, string $email)
        {
            parent::__construct($id);
            $this->email = $email;
            $this->at = $GLOBALS['now'];
        }

        public function get_items(string $kind): array
        {
            return $kind === 'line_item' ? [new LiveItem()] : [];
        }

        public function get_date_modified()
        {
            return new DateTime('@' . $this->at);
        }

        public function get_date_created()
        {
            return new DateTime('@' . $this->at);
        }

        public function get_date_paid()
        {
            return new DateTime('@' . $this->at);
        }

        public function get_billing_email(): string
        {
            return $this->email;
        }

        public function get_total(): string
        {
            return '25';
        }
    }

    function call_over_http(string $method, string $url, array $arguments)
    {
        $headers = [];
        foreach ($arguments['headers'] ?? [] as $name => $value) {
            $headers[] = $name . ': ' . $value;
        }
        $http = ['method' => $method, 'header' => $headers, 'content' => $arguments['body'] ?? '', 'ignore_errors' => true, 'timeout' => 20];
        $body = file_get_contents($url, false, stream_context_create(['http' => $http]));
        if ($body === false) {
            return new WP_Error('http_request_failed', 'Failed to connect');
        }
        $answered = [];
        foreach ($http_response_header as $line) {
            [$name, $value] = array_pad(explode(': ', $line, 2), 2, '');
            $answered[strtolower($name)] = $value;
        }
        $status = (int) explode(' ', $http_response_header[0])[1];
        $GLOBALS['calls'][] = ['name' => basename($url), 'body' => json_decode($arguments['body'] ?? '', true), 'status' => $status, 'answer' => json_decode($body, true)];
        if (isset($arguments['filename'])) {
            file_put_contents($arguments['filename'], $body);
        }
        return ['status' => $status, 'body' => $body, 'headers' => $answered];
    }

    /** Calls a method by its name today, or by the one that it had in the plugin of before. */
    function call(string $class, string $name, string $before, ...$arguments)
    {
        $method = method_exists($class, $name) ? $name : $before;
        return $class::$method(...$arguments);
    }

    function answer(array $command)
    {
        switch ($command['do']) {
            case 'begin':
                return Connect::begin($command['url']);
            case 'finish':
                return ['why' => Connect::finish(['recoup_state' => $command['state'], 'recoup_code' => $command['code']]), 'store' => Connection::read('store')];
            case 'fill':
                WC()->cart->add_to_cart(10, 2);
                do_action('woocommerce_checkout_update_order_review', 'billing_email=' . urlencode($command['email']));
                Capture::finish();
                return ['waiting' => Outbox::count()];
            case 'task':
                run_task(Beat::TASK);
                return ['next' => $GLOBALS['wp']['tasks'][Beat::TASK] ?? null, 'problem' => State::get('beatProblem'), 'reach' => State::get('reach')];
            case 'stock':
                $GLOBALS['wp']['products'][10]->stock = $command['stock'];
                return [];
            case 'order':
                $order = new LiveOrder(501, $command['email']);
                $GLOBALS['wp']['orders'][501] = $order;
                if (!empty($command['isTold'])) {
                    call(Orders::class, 'addOrderMeta', 'mark', $order);
                    call(Orders::class, 'onOrderPlaced', 'placed', $order);
                    Capture::finish();
                }
                return ['waiting' => Outbox::count()];
            case 'visit':
                WC()->cart->lines = [];
                $_GET = ['recoup-restore' => $command['token']];
                try {
                    call(Restore::class, 'handleRequest', 'look');
                } catch (RequestEnded $to) {
                    return ['to' => $to->getMessage(), 'quantities' => array_values(array_column(WC()->cart->lines, 'quantity'))];
                }
                return [];
            case 'update':
                $offer = apply_filters('update_plugins_recoup-for-woocommerce.invalid', false, [], 'recoup-for-woocommerce/recoup-for-woocommerce.php');
                $zip = $offer ? apply_filters('upgrader_pre_download', false, $offer['package'], null, ['plugin' => $offer['plugin']]) : null;
                return ['version' => $offer['version'] ?? null, 'isZip' => is_string($zip) && substr(file_get_contents($zip), 0, 2) === 'PK'];
        }
        throw new Error('unknown command');
    }

    $GLOBALS['wpdb'] = new Database();
    $GLOBALS['logger'] = new Logger();
    $GLOBALS['shop'] = new Shop();
    WC()->session = new Session();
    WC()->cart = new Cart();
    WC()->customer = new Customer();
    // A mode in which cart and contact are stored before consent.
    WC()->countries = new class extends Countries {
        public function get_allowed_countries(): array
        {
            return ['US' => 'United States'];
        }
    };
    $GLOBALS['wp'] = [
        'options' => ['home' => $argv[2], 'woocommerce_allowed_countries' => 'specific', 'permalink_structure' => '/%postname%/'],
        'http' => 'call_over_http',
        'products' => [10 => new Product(['id' => 10, 'name' => 'Tea', 'price' => '12.5'])],
        'user' => 7,
        'rights' => ['manage_woocommerce', 'update_plugins'],
    ];
    $_SERVER['HTTP_USER_AGENT'] = 'Mozilla/5.0';
    Plugin::load();
    do_action('woocommerce_init');
    $isRequested = new ReflectionProperty(Beat::class, property_exists(Beat::class, 'isRequested') ? 'isRequested' : 'isWanted');
    $isRequested->setAccessible(true);

    while (($line = fgets(STDIN)) !== false) {
        $command = json_decode($line, true);
        $GLOBALS['now'] = $command['now'];
        $GLOBALS['calls'] = [];
        $answer = answer($command);
        if ($isRequested->getValue()) {
            Beat::send();
        }
        fwrite(STDOUT, json_encode($answer + ['calls' => $GLOBALS['calls']]) . "\n");
    }
}
