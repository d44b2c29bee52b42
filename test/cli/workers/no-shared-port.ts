// Loaded before a program: makes this system one that cannot give one port to several processes, as macOS and Windows are.
import net from 'node:net';

const { value: listen } = Object.getOwnPropertyDescriptor(net.Server.prototype, 'listen') ?? {};

net.Server.prototype.listen = function listenAlone(this: net.Server, ...given: unknown[]): net.Server {
  const [options] = given;
  if (typeof options !== 'object' || options === null || !('reusePort' in options) || options.reusePort !== true) {
    return Reflect.apply(listen, this, given);
  }
  const error = Object.assign(new Error('listen ENOTSUP'), { code: 'ENOTSUP' });
  process.nextTick(() => this.emit('error', error));
  return this;
};
